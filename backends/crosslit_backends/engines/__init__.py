"""Engines of other paradigms: CP-SAT, constraint, answer set and mixed-integer programming, SMT."""
