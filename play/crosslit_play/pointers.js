// Presses and drags on a grid with a mouse, a pen or a finger.

// A drag, from its first cell: locked to the row or the column in which it left that cell, and without gaps, however few
// events report it.
class Stroke {
  constructor(view, at, { pointerId, clientX, clientY }) {
    Object.assign(this, { view, pointer: pointerId, x: clientX, y: clientY, axis: null });
    this.last = [Math.floor(at / view.columns), at % view.columns];
  }

  // The cells on the way to a point of the window, without the cell that was reached last.
  to(x, y) {
    const goal = this.view.nearest(x, y);
    if (goal.every((number, axis) => number === this.last[axis])) return [];
    this.axis ??= this.#leaves(goal, x, y);
    const way = [],
      step = Math.sign(goal[this.axis] - this.last[this.axis]);
    while (this.last[this.axis] !== goal[this.axis]) {
      this.last[this.axis] += step;
      way.push(this.last[0] * this.view.columns + this.last[1]);
    }
    return way;
  }

  // 0 if a move goes up or down a column, 1 if it goes along a row.
  #leaves(goal, x, y) {
    if (goal[0] === this.last[0]) return 1;
    if (goal[1] === this.last[1]) return 0;
    return Math.abs(x - this.x) >= Math.abs(y - this.y) ? 1 : 0;
  }
}

class Pointers {
  constructor(view) {
    this.view = view;
    this.stroke = null;
    this.handled = false; // the click that follows was acted on when the pointer went down
    const { grid } = view;
    grid.addEventListener("pointerdown", (event) => this.#down(event));
    grid.addEventListener("pointermove", (event) => this.#move(event));
    grid.addEventListener("pointerup", (event) => this.#end(event));
    grid.addEventListener("pointercancel", (event) => {
      if (this.#end(event)) view.stroke.cancel();
    });
    grid.addEventListener("keydown", () => {
      this.handled = false;
    });
    grid.addEventListener("click", (event) => {
      // also of a tap on a board, of Enter, of a screen reader
      if (view.at(event) !== null && !(this.handled && event.detail)) this.#act(event, "press");
      this.handled = false;
    });
    grid.addEventListener("contextmenu", (event) => {
      if (view.at(event) === null) return;
      event.preventDefault();
      if (!this.handled) this.#act(event, "cross"); // the key of the menu
    });
  }

  #act(event, how) {
    const at = this.view.at(event);
    if (at !== this.view.current) this.view.focus(at, true);
    this.view.act(at, how);
  }

  #down(event) {
    const { view } = this,
      at = view.at(event);
    if (this.stroke) {
      // a second finger: two fingers scroll or enlarge
      this.stroke = null;
      view.stroke.cancel();
      return;
    }
    this.handled = false;
    // a tap on a board acts when the finger goes up, so that a swipe over the board scrolls
    if (at === null || event.button === 1 || (!view.stroke && event.pointerType !== "mouse")) return;
    this.handled = true;
    this.#act(event, event.button === 2 || event.ctrlKey ? "cross" : "press");
    if (!view.stroke) return;
    this.stroke = new Stroke(view, at, event);
    view.grid.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (this.stroke?.pointer !== event.pointerId) return;
    const way = this.stroke.to(event.clientX, event.clientY);
    if (!way.length) return;
    this.view.stroke.drag(way);
    this.view.moved(way.at(-1));
  }

  // End the drag of this pointer; false if it was not dragging.
  #end(event) {
    if (this.stroke?.pointer !== event.pointerId) return false;
    this.stroke = null;
    return true;
  }
}
