/* Line solving, then probing, then search, as steps of one loop that may stop after any step and be called again.
 *
 * Where line solving leaves cells open, each is probed: filled and empty, with all that follows. A value that leads to a
 * contradiction settles the cell to the other; what both values agree on is settled too. A probe is repeated only after
 * a cell has changed in a line that it touched. Where a round of probes settles nothing, the search branches.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static int64_t still_open(const search *x) { return x->open - x->s.settled; }

/* ---- solutions ---- */

/* The filled cells of the own rows, row by row, eight to a byte. */
void write_solution(const search *x, uint8_t *to) {
    const puzzle *p = x->s.puzzle;
    size_t size = ((size_t)p->rows * p->columns + 7) / 8;
    memset(to, 0, size);
    for (int32_t row = 0; row < p->rows; row++) {
        if (!x->own[row]) continue;
        const word *filled = x->s.filled + (size_t)row * p->words[0];
        for (int i = 0; i < p->words[0]; i++)
            for (word left = filled[i]; left; left &= left - 1) {
                size_t cell = (size_t)row * p->columns + i * 64 + __builtin_ctzll(left) - 1;
                to[cell >> 3] |= 1u << (cell & 7);
            }
    }
}

/* ---- changes that are kept ---- */

static void stamp(search *x, uint32_t cell) {
    const puzzle *p = x->s.puzzle;
    x->changed[cell / p->columns] = x->changed[p->rows + cell % p->columns] = x->clock;
}

/* Note the lines of all cells settled since the last time. */
static void stamp_all(search *x) {
    if (x->stamped == x->s.settled) return;
    x->clock++;
    while (x->stamped < x->s.settled) stamp(x, x->s.trail[x->stamped++]);
}

static void assume(search *x, uint32_t cell, bool value) {
    settle(&x->s, cell, value);
    x->assumed = cell;
}

static void begin_round(search *x) { x->ordered = x->next = 0; }

/* The other value of a cell has been searched, or is impossible. */
static void conclude(search *x, uint32_t cell, bool value) {
    x->decisions[x->decided++] = (decision){cell, value, false, 0};
    assume(x, cell, value);
}

/* Try the other value of the last guess; false if there is none left. */
static bool backtrack(search *x) {
    while (x->decided && !x->decisions[x->decided - 1].is_guess) x->decided--;
    if (!x->decided) return false;
    decision last = x->decisions[--x->decided];
    x->guesses--;
    x->counts[BACKTRACKS]++;
    x->clock++;
    /* Taking a cell back changes its lines as much as settling it does. */
    for (int64_t i = last.settled; i < x->stamped; i++) stamp(x, x->s.trail[i]);
    undo(&x->s, last.settled);
    x->stamped = last.settled;
    begin_round(x);
    conclude(x, last.cell, !last.value);
    return true;
}

/* ---- probes ---- */

/* Whether the probes of a cell would give again what they gave. */
static bool is_known(const search *x, uint32_t cell) {
    const puzzle *p = x->s.puzzle;
    const int64_t when = x->probed[cell];
    if (when == x->clock) return true;
    if (!when || !x->rests) return false;
    const word *lines = x->rests + (size_t)cell * p->line_words;
    for (int i = 0; i < p->line_words; i++)
        for (word left = lines[i]; left; left &= left - 1)
            if (x->changed[i * 64 + __builtin_ctzll(left)] > when) return false;
    return true;
}

/* Probe both values of an open cell, and settle what follows. Returns whether a solution was written: the state that a
 * probe leaves, if it leaves no cell open. Before the first guess that is no reason to stop: perhaps probing settles
 * the puzzle without one, which is how its difficulty is judged. */
static bool probe(search *x, uint32_t cell, uint8_t *solution) {
    state *s = &x->s;
    const puzzle *p = s->puzzle;
    const int64_t before = s->settled, pair = ++x->pairs;
    /* Both probes add to it: the pair is worth repeating only after a change in one of these lines. */
    memset(s->touched, 0, sizeof(word) * p->line_words);
    x->probed[cell] = 0;
    for (int value = FILLED; value >= EMPTY; value--) {
        x->counts[PROBES]++;
        settle(s, cell, value);
        if (!propagate(s, INT64_MAX)) {
            x->conflicts[cell]++;
            undo(s, before);
            assume(x, cell, !value);
            return false;
        }
        if (!still_open(x) && x->nodes > 1) {
            write_solution(x, solution);
            x->nodes++;
            x->counts[NODES]++;
            undo(s, before);
            conclude(x, cell, !value);
            return true;
        }
        x->gains[2 * (size_t)cell + value] = (uint32_t)(s->settled - before);
        if (value == EMPTY) break;
        for (int64_t i = before; i < s->settled; i++)
            /* The number of the pair makes entries of earlier pairs invalid, so the array is never cleared. */
            x->settler[s->trail[i]] = 2 * pair + is_filled(s, s->trail[i]);
        undo(s, before);
    }
    /* keep what both agree on: at the front of what the second has settled */
    int64_t agreed = before;
    for (int64_t i = before; i < s->settled; i++) {
        uint32_t other = s->trail[i];
        if (x->settler[other] != 2 * pair + is_filled(s, other)) continue;
        s->trail[i] = s->trail[agreed];
        s->trail[agreed++] = other;
    }
    undo(s, agreed);
    /* These lines were solved with a value assumed; without it they must be solved again. */
    for (int64_t i = before; i < agreed; i++) requeue(s, s->trail[i]);
    x->assumed = -1;
    x->probed[cell] = x->clock;
    if (x->rests) memcpy(x->rests + (size_t)cell * p->line_words, s->touched, sizeof(word) * p->line_words);
    return false;
}

/* The open cells of the own rows, in row-major order; how many. */
static int64_t list_open(search *x) {
    const puzzle *p = x->s.puzzle;
    int64_t found = 0;
    for (int32_t row = 0; row < p->rows; row++) {
        if (!x->own[row]) continue;
        for (int i = 0; i < p->words[0]; i++)
            for (word left = open_cells(&x->s, row, i); left; left &= left - 1)
                x->row_major[found++] = row * p->columns + i * 64 + __builtin_ctzll(left) - 1;
    }
    return found;
}

/* Sort the open cells for a round of probes: those whose lines have the fewest of them first, then in row-major order. */
static void order_cells(search *x) {
    puzzle *p = x->s.puzzle;
    if (!p->memo) enlarge_memo(p); /* before there are probes few lines return */
    const size_t keys = (size_t)p->rows + p->columns + 1;
    uint32_t *in_row = x->count, *in_column = in_row + p->rows, *place = in_column + p->columns;
    memset(x->count, 0, sizeof(uint32_t) * 2 * keys);
    x->ordered = list_open(x);
    x->next = 0;
    x->s.work += 4 * x->ordered;
    x->round = x->s.settled;
#define KEY(cell) (in_row[(cell) / p->columns] + in_column[(cell) % p->columns])
    for (int64_t i = 0; i < x->ordered; i++) {
        in_row[x->row_major[i] / p->columns]++;
        in_column[x->row_major[i] % p->columns]++;
    }
    /* Counting sort: linear, and stable, so that equal keys stay in row-major order. */
    for (int64_t i = 0; i < x->ordered; i++) place[KEY(x->row_major[i]) + 1]++;
    for (size_t key = 1; key <= keys; key++) place[key] += place[key - 1];
    for (int64_t i = 0; i < x->ordered; i++) x->order[place[KEY(x->row_major[i])]++] = x->row_major[i];
#undef KEY
}

/* ---- parts and guesses ---- */

/* Number the parts, groups of own rows whose open cells share no column; part[row] is -1 where no cell is open. */
int32_t find_parts(const search *x, int32_t *part) {
    const puzzle *p = x->s.puzzle;
    word columns[p->words[0]]; /* with open cells in a row of the part */
    int32_t parts = 0;
    for (int32_t row = 0; row < p->rows; row++) {
        part[row] = -1;
        for (int i = 0; i < p->words[0]; i++)
            if (x->own[row] && open_cells(&x->s, row, i)) part[row] = INT32_MAX; /* not numbered yet */
    }
    for (int32_t first = 0; first < p->rows; first++) {
        if (part[first] != INT32_MAX) continue;
        for (int i = 0; i < p->words[0]; i++) columns[i] = open_cells(&x->s, first, i);
        part[first] = parts;
        /* A row that joins may share columns with rows that did not fit before, so the rows are checked until none
         * joins. */
        for (bool grown = true; grown;) {
            grown = false;
            for (int32_t row = first + 1; row < p->rows; row++) {
                word shared = 0;
                if (part[row] != INT32_MAX) continue;
                for (int i = 0; i < p->words[0]; i++) shared |= columns[i] & open_cells(&x->s, row, i);
                if (!shared) continue;
                for (int i = 0; i < p->words[0]; i++) columns[i] |= open_cells(&x->s, row, i);
                part[row] = parts;
                grown = true;
            }
        }
        parts++;
    }
    return parts;
}

/* Branch on the open cell of which both probes settle much, and of which many have failed so far: where contradictions
 * were found, more will be. A cell of which a probe leaves nothing open goes first. All open cells have been probed. */
static void guess(search *x) {
    const int64_t open = still_open(x);
    double best = -1;
    uint32_t choice = 0;
    for (int64_t i = 0; i < x->ordered; i++) {
        uint32_t cell = x->row_major[i];
        const uint32_t *gain = x->gains + 2 * (size_t)cell;
        double failed = 1.0 + x->conflicts[cell], score = (double)gain[0] * gain[1] * failed * failed * failed;
        /* Above every other score: gains are below 2^25 and conflicts below 2^33, so the product is below 1e45. */
        if (gain[0] == open || gain[1] == open) score += 1e300;
        if (score > best) best = score, choice = cell;
    }
    bool value = x->gains[2 * (size_t)choice + FILLED] >= x->gains[2 * (size_t)choice + EMPTY];
    x->decisions[x->decided++] = (decision){choice, value, true, x->s.settled};
    x->guesses++;
    x->nodes++;
    x->counts[NODES]++;
    if (x->guesses > x->counts[DEPTH]) x->counts[DEPTH] = x->guesses;
    begin_round(x);
    assume(x, choice, value);
}

/* ---- the loop ---- */

/* Go on with a search.
 *
 * Args: budget, how much work to do before it stops (`state.work`); split_from, how many open cells are worth a stop where
 * they fall into parts, or 0 for none; may_guess, whether to branch; solutions, room for `capacity` of them.
 *
 * Returns: EXHAUSTED if there are no more solutions; FULL if there is no more room; SPENT if the work is done; SPLIT if
 * there are parts, to be searched apart before `crosslit_leave`; STILL if only a guess would go on.
 */
API int crosslit_run(search *x, int64_t budget, int64_t split_from, bool may_guess, uint8_t *solutions,
                     int64_t capacity) {
    state *s = &x->s;
    const size_t size = ((size_t)s->puzzle->rows * s->puzzle->columns + 7) / 8;
    const int64_t until = s->work + budget;
    const int64_t lines = s->lines;
    int64_t *found = &x->counts[FOUND];
    memset(x->counts, 0, sizeof x->counts);
    while (!x->is_done) {
        if (*found == capacity) return FULL;
        if (s->work >= until) return SPENT;
        if (atomic_load_explicit(&x->is_halted, memory_order_relaxed)) {
            x->is_halted = false;
            return SPENT;
        }
        uint8_t *solution = solutions + *found * size;
        if (has_queue(s)) {
            if (!propagate(s, until)) {
                /* Only a contradiction that follows from one assumed value counts against its cell. */
                if (x->assumed >= 0) x->conflicts[x->assumed]++;
                x->is_done = !backtrack(x);
            }
        } else if (!still_open(x)) {
            write_solution(x, solution);
            ++*found;
            x->is_done = !backtrack(x);
        } else if (x->next < x->ordered) {
            uint32_t cell = x->order[x->next++];
            stamp_all(x);
            s->work += 8;
            if (is_open(s, cell) && !is_known(x, cell) && probe(x, cell, solution)) {
                ++*found;
            }
        } else if (x->ordered && s->settled == x->round) {
            if (!may_guess) return x->counts[OPEN] = still_open(x), STILL;
            guess(x);
        } else {
            if (split_from && still_open(x) >= split_from && find_parts(x, x->part) > 1) return SPLIT;
            order_cells(x);
        }
        x->counts[LINES] = s->lines - lines, x->counts[WORK] = s->work + budget - until;
    }
    return EXHAUSTED;
}

/* Let a call of `crosslit_run` in another thread return, or the next one if there is none. */
API void crosslit_halt(search *x) { x->is_halted = true; }

/* Take the branch under way as searched, for its parts were. */
API void crosslit_leave(search *x) { x->is_done = !backtrack(x); }

/* Write the filled and the empty cells of all rows before the first guess: (columns + 2 + 63) / 64 words each, cell c in
 * bit c + 1. Every line can be completed then; false on a contradiction. The search can go on. */
API bool crosslit_root(search *x, word *filled, word *empty) {
    state *s = &x->s;
    const puzzle *p = s->puzzle;
    int64_t first = 0;
    /* Work may have ended while lines were solved; a guess is only made when all stand still. */
    if (!x->guesses && !propagate(s, INT64_MAX)) {
        x->is_done = true;
        return false;
    }
    memcpy(filled, s->filled, sizeof(word) * p->first_column);
    memcpy(empty, s->empty, sizeof(word) * p->first_column);
    while (first < x->decided && !x->decisions[first].is_guess) first++;
    for (int64_t i = first < x->decided ? x->decisions[first].settled : s->settled; i < s->settled; i++) {
        const int32_t at = s->trail[i] % p->columns + 1;
        const size_t index = (size_t)(s->trail[i] / p->columns) * p->words[0] + (at >> 6);
        filled[index] &= ~((word)1 << (at & 63));
        empty[index] &= ~((word)1 << (at & 63));
    }
    return true;
}
