"""Lights Out with k states as formulas and models."""
