"""The search of the documentation finds the page that a reader wants, as the site's own script ranks them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium
from tests.conftest import ROOT

pytestmark = pytest.mark.slow  # the site takes seconds to build

__all__ = ["chromium"]  # a fixture

WANTED = {
    "bugs in a solver": "tutorials/solver-authors",
    "campaign": "tutorials/researchers",
    "certificate": "how-to/certify",
    "coloured nonogram": "reference/coloured-nonograms",
    "count solutions": "how-to/enumerate",
    "dask cluster": "how-to/cluster",
    "dimacs": "how-to/formulas",
    "encoding": "explanation/encodings",
    "exit status": "reference/command-line",
    "generate": "how-to/puzzles",
    "install": "how-to/install",
    "kissat": "how-to/use-your-solver",
    "language model": "how-to/exam",
    "list all solutions": "how-to/enumerate",
    "memory limit": "how-to/compare",
    "minizinc": "reference/engines",
    "no solution": "how-to/enumerate",
    "nullity": "reference/glossary",
    "own solver": "how-to/use-your-solver",
    "pandas": "tutorials/python",
    "plugin": "reference/plugin-api",
    "print": "how-to/draw",
    "protocol": "reference/verify-protocol",
    "random puzzles": "how-to/puzzles",
    "report": "tutorials/researchers",
    "timeout": "how-to/compare",
    "torus": "reference/lights-out-rules",
    "unique puzzle": "how-to/puzzles",
    "windows": "how-to/install",
}
"""Words that a reader types, and the page that has to come first."""
# messages of the theme's worker: 0 gives it the index, 2 asks it, and it replies to both
SEARCH = """
const [source, index, words, done] = arguments;
const worker = new Worker(URL.createObjectURL(new Blob([source])));
const found = {};
worker.onerror = event => done(event.message);
worker.onmessage = ({data}) => {
    if (data.type === 3) found[words.shift()] = data.data.items.map(([item]) => item.location.split("#")[0]);
    if (words.length) worker.postMessage({type: 2, data: words[0]}); else done(found);
};
worker.postMessage({type: 0, data: {config: index.config, docs: index.docs, options: {suggest: false}}});
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: the one that .ci/run has built, or a new one."""
    if built := os.environ.get("CROSSLIT_SITE"):
        return Path(built)
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True)
    return folder


def test_a_search_finds_the_wanted_page_first_and_none_for_referees(site: Path, chromium: Any) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    (worker,) = site.glob("assets/javascripts/workers/search.*.js")
    chromium.get("about:blank")
    chromium.set_script_timeout(60)
    found = chromium.execute_async_script(SEARCH, worker.read_text(encoding="utf-8"), index, list(WANTED))
    assert {words: pages[:1] for words, pages in found.items()} == {
        words: [f"{page}.html"] for words, page in WANTED.items()
    }
    assert [page for pages in found.values() for page in pages if page.startswith(("decisions", "reports"))] == []
