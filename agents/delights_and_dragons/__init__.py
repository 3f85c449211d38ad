"""Scripted players of Delights & Dragons."""
