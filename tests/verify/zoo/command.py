"""A Lights Out solver as a command, correct except for the fault that its argument names."""

import json
import os
import sys
import time


def solve(lit):
    columns = len(lit[0])
    inside = (1 << columns) - 1
    board = [int(row[::-1], 2) for row in lit]
    for first in range(1 << columns):
        presses, above, row = [], 0, first
        for lights in board:
            presses.append(row)
            above, row = row, (lights ^ above ^ row ^ row << 1 ^ row >> 1) & inside
        if not row:
            return [f"{press:0{columns}b}"[::-1] for press in presses]
    return None


def main(fault):
    for line in sys.stdin:
        lit = json.loads(line)["lit"]
        solution = solve(lit)
        if fault == "is slow" and len(lit) * len(lit[0]) > 8:
            time.sleep(60)
        if fault == "aborts" and solution is None:
            os.abort()
        print(json.dumps({"solution": solution} if solution else {"unsolvable": True}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
