"""``crosslit examples``."""

from __future__ import annotations

from pathlib import Path

import click

from crosslit.cli import output
from crosslit.cli.help import example_command

# pyproject.toml includes these files in the wheel
FILES = {
    "heart.non": "a nonogram of 10 x 11",
    "arrow.pbm": "a picture of 5 x 5, for nonograms",
    "board-5x5.txt": "a Lights Out board with four solutions",
    "board-20x20.txt": "a random Lights Out board with one solution",
    "article-50x50.txt": "the nonogram of 50 x 50 of the article on extreme alignment",
    "campaign.toml": "a campaign of some seconds",
    "contiguous_first_rows.py": "a Lights Out solver with a bug, for `crosslit verify`",
}


@example_command("crosslit examples", "crosslit examples --copy")
@click.option("--copy", "is_copied", is_flag=True, help="Copy the files into the folder examples.")
def command(is_copied: bool) -> None:
    """List the example files that Crosslit brings, or copy them into the folder `examples`, as in help texts.

    Exit status: 0 done, 2 a file cannot be written.
    """
    from crosslit.base.files import read_bytes, write_bytes

    installed, checkout = (Path(__file__).parents[level] / "examples" for level in (1, 3))
    source = installed if installed.is_dir() else checkout
    for name, about in FILES.items():
        target = Path("examples", name)
        if is_copied and not target.exists():
            target.parent.mkdir(exist_ok=True)
            write_bytes(target, [read_bytes(source / name, 1 << 20)])
        output.write(f"{target if is_copied else name}: {about}")
