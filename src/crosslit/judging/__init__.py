"""Cross-checks: pure functions from finished runs to findings and a verdict.

Must not run anything. A checked solution proves every run wrong that claims to be complete without it.
"""
