"""Commands on an imitated system, whose name is the argument; each is forked, because an interpreter starts slowly.

Standard input has JSON: folders and the words of a command in each. Its output goes to two files beside the folder.
"""

import json
import os
import sys

import sitecustomize

fork, waitpid = os.fork, os.waitpid  # an imitated system may lack them
os.environ["CROSSLIT_TEST_SYSTEM"] = sys.argv[1]  # for processes that a command starts
sitecustomize.become(sys.argv[1])

import numpy  # noqa: E402, F401

from crosslit.cli import ask, compare, files, formula, group, main  # noqa: E402, F401

statuses = []
for folder, words in json.load(sys.stdin):
    if not (pid := fork()):
        for number, name in enumerate(("out", "err"), 1):
            os.dup2(os.open(f"{folder}.{name}", os.O_WRONLY | os.O_CREAT), number)
        os.chdir(folder)
        sys.argv[1:] = words
        main()
    statuses.append(os.waitstatus_to_exitcode(waitpid(pid, 0)[1]))
print(json.dumps(statuses))
