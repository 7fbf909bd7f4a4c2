"""Execute scripts, one per line as a JSON string, and write the answers of each as a line of JSON.

It imports nothing of Crosslit, so that it runs in an environment that has only the engine under test.
"""

import json
import os
import sys
import tempfile

if __name__ == "__main__":
    with os.fdopen(os.dup(1), "w") as output:
        tempfile.tempdir = sys.argv[1]  # removed even if this process is killed
        os.dup2(2, 1)  # what engines print must not mix with answers
        for line in sys.stdin:
            scope: dict[str, object] = {}
            try:
                exec(json.loads(line), scope)
            except Exception as error:
                scope["answers"] = f"{type(error).__name__}: {error}"
            print(json.dumps(scope["answers"]), file=output, flush=True)
