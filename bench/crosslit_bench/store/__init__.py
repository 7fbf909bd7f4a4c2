"""The store of a campaign: one SQLite file with its description, its plan and all runs with their solutions.

Every value is checked when it is written and when it is read. This package must not judge an answer.
"""
