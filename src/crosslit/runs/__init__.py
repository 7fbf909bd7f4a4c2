"""Runs: one backend on one puzzle, in this process or isolated under limits.

The `runner` of the parent process sends a `job` to a fork `server`, which forks the run (`child`). This package must
not judge an answer, or unpickle anything that a run wrote.
"""
