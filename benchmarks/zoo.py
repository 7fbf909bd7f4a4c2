"""The number of cases until each planted bug is caught, and its smallest counterexample.

Run it with ``python -m benchmarks.zoo`` in the project's folder. The cases are the same on every machine.
"""

from __future__ import annotations

from tests.verify.zoo import BROKEN


def main() -> None:
    """Print a line a solver, as a table of Markdown."""
    print("| solver | claims | caught as | case | smallest puzzle |")
    print("|---|---|---|---:|---|")
    for member in BROKEN:
        found = member.verify()
        row = [f"{member.name.replace('_', '-')} ({member.kind})", member.claims]
        if found.failures:
            failure = found.failures[0]
            row += [f"`{failure.problem.group}`", f"{failure.case:,}", f"`{failure.puzzle.text}`".replace("|", "\\|")]
        else:
            row += ["not caught", f"over {member.within:,}", ""]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
