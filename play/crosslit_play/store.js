// Progress, kept by the browser for each puzzle of this page. Where storage is forbidden (private windows, files in some
// browsers), nothing is kept and the page works as before.

const STORED = "crosslit ",
  MAX_STORED = 100; // puzzles; the oldest go first

// Pages share the storage, and what was played on one with solutions must not fill in one for players, even if that has
// taken its name. So a hash of the page's data is part of the key.
let page = 0;
for (const character of document.getElementById("puzzles").textContent)
  page = (Math.imul(page, 31) + character.codePointAt(0)) | 0;

const keyOf = (puzzle) => `${STORED}${location.pathname} ${page} ${puzzle}`;

function remember(puzzle, state) {
  try {
    if (state === null) return localStorage.removeItem(keyOf(puzzle));
    localStorage.setItem(keyOf(puzzle), JSON.stringify({ time: Date.now(), state }));
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
    return JSON.parse(localStorage.getItem(keyOf(puzzle))).state;
  } catch {
    return null;
  }
}
