"""Runs: one backend on one puzzle, in this process (`inline`) or isolated under limits (`runner`).

The parent process (`runner`, `client`) sends a `job` to a fork server (`fork_server`), which forks the run (`child`);
frames carry its answers back (`wire`, `end`). This package must not judge an answer, or unpickle anything that a run
wrote.
"""
