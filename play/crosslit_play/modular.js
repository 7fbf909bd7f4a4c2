// A Lights Out board with k states: cells are arrays of numbers below k.

const digitsOf = (text) => Array.from(text.replaceAll("/", ""), (digit) => parseInt(digit, 36));

class ModularGame extends BoardGame {
  get states() {
    return this.record.states;
  }

  cellsOf(text) {
    return digitsOf(text);
  }

  value(cells, at) {
    return cells[at];
  }

  total(cells) {
    return cells.reduce((sum, value) => sum + value, 0);
  }

  step(cells, at, by) {
    cells[at] = (((cells[at] + by) % this.states) + this.states) % this.states;
  }

  effect(at) {
    const { rows, columns, offsets, wrap } = this.record,
      found = [];
    for (const [down, right, amount] of offsets) {
      const crossed = Math.floor(((at % columns) + right) / columns);
      if (crossed && ["none", "vertical"].includes(wrap)) continue;
      let row = Math.floor(at / columns) + down;
      if (["vertical", "torus", "klein"].includes(wrap)) row = ((row % rows) + rows) % rows;
      // behind an odd number of twisted edges the board is upside down
      if (crossed % 2 && ["moebius", "klein"].includes(wrap)) row = rows - 1 - row;
      if (row < 0 || row >= rows) continue;
      const light = row * columns + (at % columns) + right - crossed * columns;
      if (!this.isMissing(light)) found.push([light, amount]);
    }
    return found;
  }

  get on() {
    return this.lit.filter((light) => light).length;
  }

  // Of cells plus all multiples of the vectors of the kernel, each below its order, those of the least sum.
  lightest(cells, kernel) {
    let best = cells,
      least = this.total(cells);
    const search = (now, level) => {
      if (level === kernel.length) {
        if (this.total(now) < least) [best, least] = [now, this.total(now)];
        return;
      }
      for (let times = 0; times < this.record.orders[level]; times++)
        search(
          now.map((value, at) => (value + times * kernel[level][at]) % this.states),
          level + 1,
        );
    };
    search(cells, 0);
    return best.slice();
  }

  get unsolvable() {
    if (this.solvable !== false) return "";
    const count = this.lights && weight(this.lights);
    return this.lights
      ? `This board cannot be solved: some multiples of the ${plural(count, "marked light")} have a sum that no press changes, and that is not 0 modulo ${this.states}.`
      : "This board cannot be solved; which lights contradict each other was not found out.";
  }
}
