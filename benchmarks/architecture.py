"""Print a diagram of the imports between the packages, and a table of their docstrings.

`python -m benchmarks.architecture --write` writes both into ARCHITECTURE.md; a test checks that the page is up to date.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
FACADE = "crosslit: names and commands"
# The files that name the parts: what `import crosslit` offers, the table of commands, and the registered modules.
_FACADE_FILES = ("crosslit/__init__.py", "crosslit/cli/group.py", "crosslit/contract/registered.py")
_PACKAGE = re.compile(r"(crosslit(?:_[a-z]+)?)\b")
_MODULE_NAME = re.compile(r"crosslit(_[a-z]+)?(\.\w+)+(:\w+)?")
GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def packages() -> dict[str, Path]:
    """Return the folder of every import package, the core first."""
    found = {path.parent.name: path.parent for path in sorted(ROOT.glob("*/crosslit*/__init__.py"))}
    return {name: found[name] for name in sorted(found)}


def arrows() -> set[tuple[str, str]]:
    """Return the imports between packages, by statement or by the name of a module in a string."""
    known = packages()
    pairs = set()
    for package, folder in known.items():
        for path in folder.rglob("*.py"):
            room = FACADE if path.relative_to(folder.parent).as_posix() in _FACADE_FILES else package
            for name in _imported(ast.parse(path.read_text(encoding="utf-8")), room == FACADE):
                if (match := _PACKAGE.match(name)) and match[1] in known and match[1] != package:
                    pairs.add((room, match[1]))
    return pairs | {(FACADE, "crosslit")}


def _imported(tree: ast.Module, by_package: bool) -> Iterator[str]:
    # The table of commands holds names of packages; elsewhere such a name imports nothing.
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Constant) and isinstance(text := node.value, str) and id(node) not in prose:
            yield from [text] if by_package or _MODULE_NAME.fullmatch(text) else []


def diagram() -> str:
    """Return a mermaid diagram of the imports between packages."""
    identifiers = {FACADE: "names"}
    lines = [f"  {identifiers.get(upper, upper)} --> {lower}" for upper, lower in sorted(arrows())]
    return "\n".join(["```mermaid", "flowchart TD", f'  names["{FACADE}"]', *lines, "```\n"])


def table() -> str:
    """Return a table of packages, and of the core's folders: what each holds and must not do."""
    rows = ["| package | holds | must not |", "|---|---|---|"]
    for name, folder in packages().items():
        inner = sorted(folder.glob("*/__init__.py")) if name == "crosslit" else []
        for path in [folder / "__init__.py", *inner]:
            text = " ".join(
                (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").replace("\n\n", "\0").split()
            )
            dotted = ".".join(path.parent.relative_to(folder.parent).parts)
            refused = re.search(r"[Mm]ust not (.*?)\.(?= [A-Z`]|\0|$)", text)
            rows.append(f"| `{dotted}` | {text.partition(chr(0))[0].rstrip('.')} | {refused[1] if refused else ''} |")
    return "\n".join(rows) + "\n"


def page() -> str:
    """Return ARCHITECTURE.md with its generated parts as they should be."""
    parts = {"diagram": diagram(), "table": table()}
    return GENERATED.sub(lambda part: part[1] + parts[part[2]] + part[3], PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(diagram(), table(), sep="\n")
