"""The cases per second of `crosslit verify` on 5 x 5 puzzles, and their shares of the time.

Run it with ``python benchmarks/verify.py [CASES]``. The solver under test is a persistent command that looks its
answers up, so that asking it costs little: a session that is not measured lets it write them down. A loop without a
verification then asks it the same questions: its time is the cost of the solver and the pipes. Rates are per
second of wall time and of processor time of this process. Shares are of wall time: the solver (asking, and waiting for
it), the reference, and the rest (making puzzles, judging).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crosslit_backends.programs import protocol
from crosslit_backends.programs.protocol import Claims
from crosslit_verify import Command, Settings, Verifier

import crosslit
from crosslit.kinds import Puzzle

_KNOWING = """
import sys, json, crosslit
answers = dict(line.rstrip("\\n").split("\\t") for line in open(sys.argv[1]))
for line in sys.stdin:
    text = line[line.rindex('"text": "') + 9 : line.rindex('"')]
    if text not in answers:
        found = crosslit.solutions(crosslit.load(text), "line" if "|" in text else "gauss")
        answers[text] = json.dumps({"solutions": [grid.lines() for grid in found]})
        with open(sys.argv[1], "a") as file:
            file.write(f"{text}\\t{answers[text]}\\n")
    print(answers[text], flush=True)
"""


def bare(words: list[str], puzzles: list[Puzzle], claims: Claims) -> float:
    """Return the questions per second of a loop that only asks."""
    questions = [protocol.question(puzzle, number, claims) for number, puzzle in enumerate(puzzles)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        began = 0.0
        with open(process.stdout.fileno(), "rb", closefd=False) as output:
            for number, question in enumerate(questions):
                process.stdin.write(question)
                output.readline()
                if not number:  # the first answer includes the start
                    began = time.perf_counter()
        seconds = time.perf_counter() - began
        process.stdin.close()
    return (len(puzzles) - 1) / seconds


def main() -> None:
    """Print a line for each kind and claim."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    asked: tuple[tuple[str, Claims], ...] = (
        ("lights-out", "one"),
        ("lights-out", "all"),
        ("nonogram", "one"),
        ("nonogram", "all"),
    )
    for kind, claims in asked:
        settings = Settings(kind, claims, cases=number, size="5")
        with tempfile.TemporaryDirectory() as folder:
            answers = Path(folder) / "answers"
            answers.touch()
            words = [sys.executable, "-c", _KNOWING, str(answers)]
            Verifier(settings, Command(words, claims)).run()
            rate = bare(words, [crosslit.load(line.split("\t")[0]) for line in answers.open()], claims)
            session = Verifier(settings, Command(words, claims))
            began = time.process_time()
            ended = session.run()
            processor = time.process_time() - began
        ended.raise_for_failure()
        total, cover = ended.seconds, ended.coverage
        parts = {**ended.shares, "rest": total - sum(ended.shares.values())}
        print(
            f"{kind}, claims {claims}: {number / total:,.0f} cases per second,",
            f"{number / processor:,.0f} per second of processor time",
            f"({cover.again:,} questions more);",
            f"the bare loop {rate:,.0f}, {rate * total / number:.1f} times as many;",
            ", ".join(f"{name} {part / total:.0%}" for name, part in parts.items()),
            flush=True,
        )


if __name__ == "__main__":
    main()
