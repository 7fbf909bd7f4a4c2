"""Print the packages of crosslit as they are: a diagram of their imports, and a table made of their docstrings.

`python -m benchmarks.architecture --write` puts both into ARCHITECTURE.md; a test holds the page to them.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
SOURCE = ROOT / "src" / "crosslit"
_GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def diagram() -> str:
    """Return a mermaid diagram of the imports between packages; an arrow that follows from two others is left out."""
    graph = grimp.build_graph("crosslit")
    below: dict[str, set[str]] = {path.parent.name: set() for path in sorted(SOURCE.glob("*/__init__.py"))}
    for module in graph.modules:
        imported = {name.split(".")[1] for name in graph.find_modules_directly_imported_by(module) if "." in name}
        if (package := module.partition(".")[2].split(".")[0]) in below:
            below[package] |= (imported & set(below)) - {package}

    def reach(package: str) -> set[str]:
        return set().union(*({lower} | reach(lower) for lower in below[package]))

    direct = ((upper, lower) for upper in below for lower in below[upper])
    arrows = sorted(
        (upper, lower) for upper, lower in direct if not any(lower in reach(other) for other in below[upper])
    )
    return "\n".join(["```mermaid", "flowchart TD", *(f"  {upper} --> {lower}" for upper, lower in arrows), "```\n"])


def table() -> str:
    """Return a table of all packages: the first line of each docstring, and its sentence on what it must not do."""
    rows = ["| package | holds | must not |", "|---|---|---|"]
    for path in sorted(SOURCE.rglob("__init__.py"))[1:]:
        text = " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").replace("\n\n", "\0").split())
        name = ".".join(path.parent.relative_to(SOURCE).parts)
        refused = re.search(r"[Mm]ust not (.*?)\.(?= [A-Z`]|\0|$)", text)
        rows.append(f"| `{name}` | {text.partition(chr(0))[0].rstrip('.')} | {refused[1] if refused else ''} |")
    return "\n".join(rows) + "\n"


def page() -> str:
    """Return ARCHITECTURE.md with its generated parts as they should be."""
    parts = {"diagram": diagram(), "table": table()}
    return _GENERATED.sub(lambda part: part[1] + parts[part[2]] + part[3], PAGE.read_text())


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(diagram(), table(), sep="\n")
