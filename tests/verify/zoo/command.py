"""A Lights Out solver as a command, correct except for the fault that its argument names."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path


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
    kept = []
    for number, line in enumerate(sys.stdin, 1):
        lit = json.loads(line)["lit"]
        solution = solve(lit)
        if fault == "slow" and len(lit) * len(lit[0]) > 8:
            time.sleep(60)
        if fault == "leaks":
            kept.append(bytearray(os.urandom(1 << 20) * 4))
        if fault == "forks" and solution is None:
            subprocess.Popen(["sleep", "60"])
        if fault == "debugs" and "0" not in "".join(lit):
            print("all on", flush=True)
        if fault == "aborts" and solution is None:
            if len(sys.argv) > 2:  # tells a test that it is about to, a byte each time
                with Path(sys.argv[2]).open("a", encoding="utf-8") as file:
                    file.write(".")
            os.abort()
        if fault == "ends" and number > 50:
            sys.exit(0)
        print(json.dumps({"solution": solution} if solution else {"unsolvable": True}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
