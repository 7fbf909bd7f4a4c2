"""Cases a second that `crosslit verify` asks and judges on 5 x 5 puzzles, and where the time goes.

Run it with ``python benchmarks/verify.py [SECONDS]``. The solver under test is a persistent command that knows the
answers beforehand, so that nothing but asking it costs time. Shares are of wall time: the solver (asking, and waiting
for it), the reference, and the rest (judging). The puzzles are made before the clock starts.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import crosslit
from crosslit.generation import Case, cases
from crosslit.verification import PersistentCommand, Session, Settings, session

_KNOWING = """
import sys
answers = dict(line.rstrip("\\n").split("\\t") for line in open(sys.argv[1]))
for line in sys.stdin:
    text = line[line.rindex('"text": "') + 9 : line.rindex('"')]
    print(answers[text], flush=True)
"""


def puzzles(kind: str, number: int) -> list[Case]:
    """Cases by chance of 5 x 5."""
    made = cases(kind, square=True, max_size=5, exhaustive=False)
    return list(islice((case for case in made if case.puzzle.rows == 5), number))


def main() -> None:
    """Print a line a kind and claim."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    for kind, claims in (("lights-out", "one"), ("lights-out", "all"), ("nonogram", "one"), ("nonogram", "all")):
        asked = puzzles(kind, 2000)
        # related puzzles are asked too: they are other ones, which the command does not know
        session._RELATED_EVERY = sys.maxsize  # type: ignore[misc]
        session.stream = lambda _, asked=asked: itertools.cycle(asked)  # type: ignore[misc]
        with tempfile.TemporaryDirectory() as folder:
            answers = Path(folder) / "answers"
            with answers.open("w") as file:
                for case in asked:
                    found = list(islice(crosslit.solutions(case.puzzle), None if claims == "all" else 1))
                    answer = {"solutions": [grid.lines() for grid in found]}
                    file.write(f"{case.puzzle.text}\t{json.dumps(answer)}\n")
            subject = PersistentCommand([sys.executable, "-S", "-c", _KNOWING, str(answers)], claims)
            began = time.process_time()
            ended = Session(Settings(kind, claims, seconds=seconds), subject).run()
            processor = time.process_time() - began
        ended.raise_for_failure()
        total, shares, number = ended.seconds, ended.shares, ended.coverage.cases
        rest = total - sum(shares.values())
        print(f"{kind}, claims {claims}: {number / total:,.0f} cases a second,", end=" ")
        print(f"{number / processor:,.0f} a second of this process's processor time;", end=" ")
        parts = {**shares, "rest": rest}
        print(", ".join(f"{name} {part / total:.0%}" for name, part in parts.items()), flush=True)


if __name__ == "__main__":
    main()
