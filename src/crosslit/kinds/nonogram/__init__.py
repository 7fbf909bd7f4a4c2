"""Nonograms, their rules, and everything that serves this kind alone."""
