"""Print how often some words occur in docstrings and comments, per 10,000 words, and the density of comments.

`python -m benchmarks.words [FOLDER]...` measures the given folders of Python code, by default those of Crosslit. In
10,000 words, the code bases of dd, BenchExec, CPMpy, CNFgen, galois, Hypothesis, Click and attrs have "what" 0 to 8
times, "alone" up to 0.6 times, and "tell", "tells" and "told" up to 4 times.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "encoders", "backends", "verify", "bench", "generate", "play")
WORDS = ("what", "how", "whether", "where", "whose", "who", "alone", "tell", "tells", "told", "beside")


@cache
def _strings(source: str) -> list[tuple[int, str, bool]]:
    """Return the line and text of every string, and whether it is a docstring."""
    nodes = list(ast.walk(ast.parse(source)))
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    constants = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [(node.lineno, node.value, id(node) in documentation) for node in constants]


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every docstring, including those below assignments."""
    return ((line, text) for line, text, is_docstring in _strings(source) if is_docstring)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every comment; consecutive lines of one comment are joined."""
    last, begin, texts = 0, 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if texts and token.start[0] != last + 1:
                yield begin, " ".join(texts)
                texts = []
            begin = begin if texts else token.start[0]
            texts.append(token.string.lstrip("# "))
            last = token.start[0]
    if texts:
        yield begin, " ".join(texts)


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every string of several words that is no docstring: messages and help texts."""
    strings = _strings(source)
    return ((line, text) for line, text, is_docstring in strings if not is_docstring and " " in text.strip())


def measure(folders: list[Path]) -> tuple[Counter[str], int, int]:
    """Return the words in docstrings and comments, the number of comments, and that of lines that are not blank."""
    words: Counter[str] = Counter()
    found = lines = 0
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        source = path.read_text(encoding="utf-8")
        found += sum(token.type == tokenize.COMMENT for token in tokenize.generate_tokens(io.StringIO(source).readline))
        lines += sum(bool(line.strip()) for line in source.splitlines())
        for _, text in (*docstrings(source), *comments(source)):
            words.update(re.findall("[a-z']+", text.lower()))
    return words, found, lines


if __name__ == "__main__":
    counted, number, total = measure([Path(name) for name in sys.argv[1:]] or [ROOT / name for name in FOLDERS])
    print(f"{counted.total():,} words in docstrings and comments; per 10,000:")
    for word in WORDS:
        print(f"  {word:8} {counted[word] / counted.total() * 10_000:6.1f}")
    print(f"{number:,} comments, {number / total * 1000:.0f} per 1,000 lines")
