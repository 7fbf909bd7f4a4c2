"""Variants of a model: small puzzles with numeric variables, other forms of constraints, steps and options.

They test an engine through its public interface with models whose answers are known exactly. This package draws models
and judges answers; `run.py` executes them in any environment that has the engine.
"""
