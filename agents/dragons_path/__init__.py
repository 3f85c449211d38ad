"""Scripted players of Dragon's Path."""
