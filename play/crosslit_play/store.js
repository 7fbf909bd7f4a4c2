// Moves, kept by the browser for each puzzle of this page. Where storage is forbidden (private windows, files in some
// browsers) or full, nothing is kept and the page works as before.

// Pages share the storage, and what was played on one with solutions must not fill in one for players, even if that has
// taken its name. So a hash of the page's data is part of the key.
const HASH = Array.from(document.getElementById("puzzles").textContent).reduce(
  (hash, character) => (Math.imul(hash, 31) + character.codePointAt(0)) | 0,
  0,
);

const keyOf = (record) => `crosslit ${location.pathname} ${HASH} ${RECORDS.indexOf(record)}`;

function remember({ record, moves, made }) {
  try {
    localStorage.setItem(keyOf(record), JSON.stringify({ moves, made }));
  } catch {
    // forbidden or full
  }
}

function recall(game) {
  try {
    game.restore(JSON.parse(localStorage.getItem(keyOf(game.record))));
  } catch {
    // nothing was kept, or something else
  }
}
