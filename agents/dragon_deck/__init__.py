"""Scripted players of Dragon Deck."""
