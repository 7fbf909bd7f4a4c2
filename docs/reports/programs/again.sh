#!/bin/sh
# Installs a solver in which a fault was found, and finds the fault again: `sh again.sh 7`, by the numbers of findings.md.
# Needs crosslit on the PATH, and an environment for the solver, because packages are installed.
set -e
cd "$(dirname "$0")"
case $1 in
1)
    pip install nonogram==3.1.1 matplotlib==3.10.7
    crosslit verify --kind nonogram --lines --keep-going --cases 500 --corpus known/nonogram -- python nonograms.py nonogram
    ;;
2)
    pip install picross-solver==1.1.2 numpy==2.4.6
    crosslit verify --kind nonogram --lines --keep-going --cases 500 --corpus known/nonogram -- python nonograms.py picross-solver
    ;;
3)
    pip install nonogram-solver==0.1 numpy==2.4.6
    crosslit verify --kind nonogram --lines --keep-going --cases 500 --corpus known/nonogram-unique --only unique -- python nonograms.py nonogram-solver
    ;;
4)
    npm install -g nonogram-solver@2.0.0
    export NODE_PATH=$(npm root -g)
    crosslit verify --kind nonogram --lines --keep-going --cases 500 --corpus known/nonogram -- node nonograms.js nonogram-solver
    ;;
5)
    npm install -g nonogram@0.0.4
    export NODE_PATH=$(npm root -g)
    crosslit verify --kind nonogram --lines --keep-going --cases 500 --corpus known/nonogram-unique --only solvable -- node nonograms.js nonogram
    ;;
6)
    pip install cosoco==2.6.1
    crosslit verify --kind nonogram --claims all --lines --keep-going --cases 500 --corpus known/nonogram -- python nonograms.py cosoco
    ;;
7)
    pip install pyscipopt==6.3.0
    crosslit verify --kind lights-out --lines --keep-going --cases 500 --corpus known/lights-out --size 1..4 -- python boards.py scip-xor
    ;;
8)
    pip install pyscipopt==6.3.0
    crosslit verify --kind lights-out --lines --keep-going --cases 500 --corpus known/lights-out --size 3x3 -- python boards.py scip-linear
    ;;
9)
    pip install pyapproxmc==4.4.0
    crosslit verify --kind lights-out --claims unique --lines --keep-going --cases 500 --corpus known/lights-out --size 1..4 -- python boards.py approxmc
    ;;
10)
    git clone https://github.com/alexxroche/LightsOut
    git -C LightsOut checkout ea9994e
    chmod +x LightsOut/perl/lightsOut.pl
    export PATH=$PATH:$PWD/LightsOut/perl
    crosslit verify --kind modular-lights-out --lines --keep-going --cases 1000 --corpus known/modular-lights-out --size 1..6 -- python modular_boards.py lights-out-perl
    ;;
11)
    git clone https://github.com/Rishiikesh-20/DAA_PROJECT
    git -C DAA_PROJECT checkout 0eb57d4
    g++ -O2 -w -o DAA_PROJECT/algorithm DAA_PROJECT/Algorithm.cpp
    export PATH=$PWD/DAA_PROJECT:$PATH
    crosslit verify --like modular-lights-out:3/0000 --lines --keep-going --cases 500 --corpus known/modular-lights-out --size 1..4 -- python modular_boards.py lights-puzzle
    ;;
12)
    git clone https://github.com/SamriddhiAgarwal95/LA_LightsOut_Project
    git -C LA_LightsOut_Project checkout c9645f5
    pip install numpy==2.4.6
    export PYTHONPATH=$PWD/LA_LightsOut_Project
    crosslit verify --like modular-lights-out:3/000/000/000 --lines --keep-going --cases 500 --corpus known/modular-lights-out --size 3x3 -- python modular_boards.py modulo3
    ;;
13)
    git clone https://github.com/MelnCat/OverusedPuzzleSolver
    git -C OverusedPuzzleSolver checkout ea962c2
    npm install -g ml-matrix@6.12.1 esbuild@0.28.2
    export NODE_PATH=$(npm root -g):$PWD/OverusedPuzzleSolver/src/util
    crosslit verify --kind modular-lights-out --lines --keep-going --cases 3000 --corpus known/modular-lights-out --size 1..6 -- node overused_puzzle_solver.js
    ;;
*)
    echo "usage: sh again.sh NUMBER" >&2
    exit 2
    ;;
esac
