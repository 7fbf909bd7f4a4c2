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
    const goal = this.view.nearest(x, y),
      way = [];
    if (goal.every((number, axis) => number === this.last[axis])) return way;
    this.axis ??= this.#leaves(goal, x, y);
    const step = Math.sign(goal[this.axis] - this.last[this.axis]);
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

// `act(at, how)` is called for a cell that is pressed: how is "press", or "cross" for the right button. With `drag` it is
// followed by calls for the cells that a drag reaches, and `cancel()` if the browser takes the drag for itself.
class Pointers {
  constructor(view, { act, drag = null, cancel = null }) {
    Object.assign(this, { view, act, drag, cancel, stroke: null });
    this.handled = false; // the click that follows was acted on when the pointer went down
    const listen = (name, react) => view.grid.addEventListener(name, react);
    listen("pointerdown", (event) => this.#down(event));
    listen("pointermove", (event) => this.#move(event));
    listen("pointerup", (event) => this.#end(event));
    listen("pointercancel", (event) => this.#end(event) && cancel());
    listen("keydown", () => {
      this.handled = false;
    });
    listen("click", (event) => {
      // also of a tap on a board, of Enter, of a screen reader
      if (!(this.handled && event.detail)) this.#act(event, "press");
      this.handled = false;
    });
    listen("contextmenu", (event) => {
      if (view.at(event) === null) return;
      event.preventDefault();
      if (!this.handled) this.#act(event, "cross"); // the key of the menu
    });
  }

  #act(event, how) {
    const at = this.view.at(event);
    if (at === null) return;
    if (at !== this.view.current) this.view.focus(at, true);
    this.act(at, how);
  }

  #down(event) {
    const at = this.view.at(event);
    if (this.stroke) {
      // a second finger: two fingers scroll or enlarge
      this.stroke = null;
      return this.cancel();
    }
    this.handled = false;
    // a tap on a board acts when the finger goes up, so that a swipe over the board scrolls
    if (at === null || event.button === 1 || (!this.drag && event.pointerType !== "mouse")) return;
    this.handled = true;
    this.#act(event, event.button === 2 || event.ctrlKey ? "cross" : "press");
    if (!this.drag) return;
    this.stroke = new Stroke(this.view, at, event);
    this.view.grid.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (this.stroke?.pointer !== event.pointerId) return;
    const way = this.stroke.to(event.clientX, event.clientY);
    if (way.length) this.drag(way);
  }

  // End the drag of this pointer; false if it was not dragging.
  #end(event) {
    if (this.stroke?.pointer !== event.pointerId) return false;
    this.stroke = null;
    return true;
  }
}
