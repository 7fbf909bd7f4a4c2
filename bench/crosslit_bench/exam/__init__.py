"""An exam for language models and agents: generated puzzles with proved answers, contestants, and their scores.

This package must not open a network connection: contestants are commands or functions of the user.
"""

from crosslit_bench.exam.contestants import CONTESTANTS, command, read_answers, run
from crosslit_bench.exam.maker import Key, Plan, commit, make
from crosslit_bench.exam.questions import Answer, Item, json_line, records
from crosslit_bench.exam.scores import compare, html, score

__all__ = ["CONTESTANTS", "Answer", "Item", "Key", "Plan", "command", "commit", "compare", "html", "json_line", "make"]
__all__ += ["read_answers", "records", "run", "score"]
