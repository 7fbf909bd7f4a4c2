"""Verifying somebody's solver: asking it, comparing with the truth, shrinking what fails."""
