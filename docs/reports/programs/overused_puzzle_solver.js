// The elimination of OverusedPuzzleSolver, called as its solveLightsOut (src/routes/lightsout/index.tsx) calls it:
// echo 'modular-lights-out:4/10' | node overused_puzzle_solver.js, where math.ts of its src/util is on the NODE_PATH
const { Matrix } = require("ml-matrix"), { readFileSync } = require("fs"), path = require("path");
const source = process.env.NODE_PATH.split(path.delimiter).map((folder) => path.join(folder, "math.ts"));
const { code } = require("esbuild").transformSync(readFileSync(source.find(require("fs").existsSync)), { loader: "ts", format: "cjs" });
const math = { exports: {} };
new Function("module", "exports", "require", code)(math, math.exports, require);

function answer(text) {
  const [head, ...rows] = text.split(":")[1].split("/"), k = +head;
  if (![2, 3, 4, 5, 7, 9].includes(k) || !rows.every((row) => /^\d+$/.test(row))) return "unsupported"; // its modes
  const cells = rows.flatMap((row, i) => [...row].map((light, j) => ({ i, j, light: +light })));
  const matrix = new Matrix(cells.map((x) => cells.map((y) => +(Math.abs(x.i - y.i) + Math.abs(x.j - y.j) <= 1))));
  matrix.addColumn(Matrix.columnVector(cells.map((cell) => (k - cell.light) % k)));
  const echelon = math.exports.gfMatrixGaussian(matrix, k);
  if (echelon.to2DArray().some((row) => row.slice(0, -1).every((n) => n === 0) && row.at(-1) !== 0)) return "unsolvable";
  const presses = echelon.getColumn(cells.length).join("");
  return rows.map((row, i) => presses.slice(i * row.length, (i + 1) * row.length)).join("/");
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => console.log(answer(line.trim())));
