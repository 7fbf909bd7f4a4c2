"""Lights Out: boards, their rules, and everything that serves this kind alone."""
