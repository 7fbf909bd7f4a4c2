"""Programs that solve puzzles: their descriptions, the protocol, and reading their answers.

Shared by verification and the backend for a user's program. Must not start a process, or judge an answer.
"""
