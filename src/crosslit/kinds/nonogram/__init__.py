"""Nonograms, their rules, and everything that serves only this kind."""
