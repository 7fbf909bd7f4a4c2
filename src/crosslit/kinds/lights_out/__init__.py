"""Lights Out: boards, their rules, and everything that serves only this kind."""
