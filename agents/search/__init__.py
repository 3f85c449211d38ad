"""Agents that search: they play a position on, in worlds that their seat cannot tell apart."""
