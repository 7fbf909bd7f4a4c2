"""Cross-checks: pure functions from finished runs to findings and a verdict, and the checkers of certificates.

A checked solution refutes every run that claims to be complete without it. This package must not run anything.
"""
