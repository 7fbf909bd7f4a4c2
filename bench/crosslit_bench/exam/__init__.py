"""An exam for language models and agents: generated puzzles with proved answers, contestants, and their scores.

The puzzles follow from a seed, so a fresh seed gives a fresh exam of the same difficulty. `make` and `commit` are for
the examiner, `run` and `score` for everybody. This package must not open a network connection: contestants are commands
or functions of the user.
"""

from crosslit_bench.exam.contestants import CONTESTANTS, run
from crosslit_bench.exam.making import Plan, commit, make
from crosslit_bench.exam.questions import Answer
from crosslit_bench.exam.scoring import compare, score

__all__ = ["CONTESTANTS", "Answer", "Plan", "commit", "compare", "make", "run", "score"]
