"""Programs that solve puzzles: how they are described and asked, and how their answers are read.

Verification and the backend for a user's program share it. Must not start a process, or judge an answer.
"""
