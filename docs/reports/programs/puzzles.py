"""Puzzles on one line, and the loop of a solver that reads them, shared by the programs of this folder."""

import sys
from collections.abc import Callable


def read_clues(text: str) -> tuple[list[list[int]], list[list[int]]]:
    """Return the clues of the rows and of the columns of a nonogram such as ``1 1,0|1,0,1``; an empty line has none."""
    rows, columns = (
        [[int(n) for n in clue.split() if n != "0"] for clue in side.split(",")] for side in text.split("|")
    )
    return rows, columns


def read_board(text: str) -> list[list[int]]:
    """Return the rows of a Lights Out board such as ``100/011``."""
    return [[int(light) for light in row] for row in text.split("/")]


def equations(text: str) -> list[tuple[list[int], int]]:
    """Return for each cell of a board the numbers of the cells that switch it, and the parity of presses it needs."""
    board = read_board(text)
    height, width = len(board), len(board[0])
    near = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
    return [
        ([(r + i) * width + c + j for i, j in near if 0 <= r + i < height and 0 <= c + j < width], board[r][c])
        for r in range(height)
        for c in range(width)
    ]


def grid(cells: list, width: int) -> str:
    """Write a flat list of cells as ``10/01``."""
    bits = ["1" if cell else "0" for cell in cells]
    return "/".join("".join(bits[i : i + width]) for i in range(0, len(bits), width))


def serve(answer: Callable[[str], str]) -> None:
    """Answer each line of standard input by a line, until the input ends."""
    for line in sys.stdin:
        print(answer(line.strip()), flush=True)
