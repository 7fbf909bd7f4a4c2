// Nonogram solvers of npm: echo '1|1' | NODE_PATH=$(npm root -g) node nonograms.js nonogram-solver
const { execFileSync } = require("child_process"), fs = require("fs"), os = require("os"), path = require("path");
const { createInterface } = require("readline");

const solvers = {
  // by its documented function, which reads a file
  "nonogram-solver": (rows, columns) => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "puzzle-")), "puzzle.json");
    fs.writeFileSync(file, JSON.stringify({ rows, columns }));
    try {
      const { status, puzzle } = require("nonogram-solver")(file);
      return status === 1 ? puzzle.snapshot.map((cell) => +(cell === 1)).join("") : ["unsolvable", "unknown"][status + 1];
    } catch (error) {
      if (/Invalid hint data/.test(error.message)) return "unsupported";
      throw error;
    } finally {
      fs.rmSync(path.dirname(file), { recursive: true });
    }
  },
  // by its own program, which takes the id of Simon Tatham's Pattern
  nonogram: (rows, columns) => {
    const id = `${columns.length}x${rows.length}:` + [...columns, ...rows].map((clue) => clue.join(".")).join("/");
    const cells = execFileSync("node", [require.resolve("nonogram"), id], { encoding: "utf8", stdio: "pipe" });
    return cells.includes("?") ? "unknown" : cells.replace(/\s/g, "").replace(/B/g, "1").replace(/W/g, "0");
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const [rows, columns] = line.split("|").map((side) => side.split(",").map((clue) => clue.split(" ").map(Number)));
  const answer = solvers[process.argv[2]](rows, columns);
  console.log(/^[01]+$/.test(answer) ? answer.match(RegExp(`.{${columns.length}}`, "g")).join("/") : answer);
});
