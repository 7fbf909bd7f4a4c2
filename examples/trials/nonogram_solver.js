// npm's nonogram-solver by its documented function: NODE_PATH=$(npm root -g) node nonogram_solver.js puzzle.json
const { status, puzzle } = require("nonogram-solver")(process.argv[2]);
console.log({ "-1": "unsolvable", 0: "unknown", 1: "solved" }[status]);
const width = puzzle.width, cells = puzzle.snapshot.map((cell) => (cell === 1 ? "#" : "."));
while (status === 1 && cells.length) console.log(cells.splice(0, width).join(""));
