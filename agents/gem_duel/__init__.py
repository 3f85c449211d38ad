"""Scripted players of Gem Duel."""
