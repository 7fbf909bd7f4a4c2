"""Nonograms in one colour and in several, their rules, and all that serves no other kind."""
