"""Programs that solve puzzles: their descriptions, the protocol, and reading their answers.

Verification and the backend for a user's program share this package. It must not start a process, or judge an answer;
it checks the rules only to refuse ambiguous output.
"""
