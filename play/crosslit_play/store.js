// Progress, kept by the browser for each puzzle. Where storage is forbidden (private windows, files in some browsers),
// nothing is kept and the page works as before.

const STORED = "crosslit ",
  MAX_STORED = 100; // puzzles; the oldest go first

function remember(puzzle, state) {
  try {
    if (state === null) return localStorage.removeItem(STORED + puzzle);
    localStorage.setItem(STORED + puzzle, JSON.stringify({ time: Date.now(), state }));
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(STORED));
    if (keys.length <= MAX_STORED) return;
    const times = keys.map((key) => [JSON.parse(localStorage.getItem(key)).time, key]);
    localStorage.removeItem(times.sort(([one], [other]) => one - other)[0][1]);
  } catch {
    // forbidden or full
  }
}

// The state of a puzzle as it was last remembered, or null.
function remembered(puzzle) {
  try {
    return JSON.parse(localStorage.getItem(STORED + puzzle)).state;
  } catch {
    return null;
  }
}
