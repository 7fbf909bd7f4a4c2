"""A Lights Out solver with a bug: it presses only contiguous cells of the first row, as a published program does.

The smallest board that shows it: ``crosslit verify --kind lights-out -- python3 examples/contiguous_first_rows.py``
"""

import json
import sys


def chase(board: list[list[int]], first: list[int]) -> list[list[int]] | None:
    """Return the presses that follow from the first row; None if they leave the last row lit."""
    columns, presses, above, row = len(first), [], [0] * len(first), first
    for lights in board:
        presses.append(row)
        beside = [row[c] ^ (c > 0 and row[c - 1]) ^ (c + 1 < columns and row[c + 1]) for c in range(columns)]
        above, row = row, [lights[c] ^ above[c] ^ beside[c] for c in range(columns)]
    return None if any(row) else presses


def solve(board: list[list[int]]) -> list[list[int]] | None:
    """Return a solution; None if it finds none."""
    columns = len(board[0])
    for start in range(columns + 1):
        for end in range(start, columns + 1):
            presses = chase(board, [int(start <= c < end) for c in range(columns)])
            if presses is not None:
                return presses
    return None


for line in sys.stdin if __name__ == "__main__" else ():
    board = [[int(cell) for cell in row] for row in json.loads(line)["lit"]]
    presses = solve(board)
    print(json.dumps({"solution": presses} if presses else {"unsolvable": True}), flush=True)
