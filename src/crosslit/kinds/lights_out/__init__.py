"""Lights Out: boards of 2 to 16 states, their rules, and all that serves no other kind."""
