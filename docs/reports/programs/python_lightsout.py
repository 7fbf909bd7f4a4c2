"""PyPI's python-lightsout by its own classes: ``echo '10/00' | python python_lightsout.py``."""

from lightsout import Board, Solver
from lightsout.exception import UnsolvablePuzzle
from puzzles import grid, read_board, serve


def answer(text: str) -> str:
    """Return the solution of a board as ``10/01``, or ``unsolvable``."""
    board = read_board(text)
    height, width = len(board), len(board[0])
    try:
        pressed = Solver(Board(height, width, [bool(light) for row in board for light in row])).solve()
    except UnsolvablePuzzle:
        return "unsolvable"
    cells = {(p.row, p.col) for p in pressed}
    return grid([(r, c) in cells for r in range(height) for c in range(width)], width)


if __name__ == "__main__":
    serve(answer)
