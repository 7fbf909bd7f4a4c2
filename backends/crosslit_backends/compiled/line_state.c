/* What is known of the cells: line solving to a standstill, and a trail to take everything back. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define MAX_MEMO ((size_t)1 << 16) /* entries, 2 MB */

static word bit(int32_t at) { return (word)1 << (at & 63); }

static word *line_of(const state *s, word *lines, int axis, int32_t number) {
    return lines + (axis ? s->puzzle->first_column : 0) + (size_t)number * s->puzzle->words[axis];
}

static word *queue_of(const state *s, int axis) { return s->queue + (axis ? (s->puzzle->rows + 63) >> 6 : 0); }

static int queue_words(const state *s, int axis) {
    return ((axis ? s->puzzle->columns : s->puzzle->rows) + 63) >> 6;
}

bool is_filled(const state *s, uint32_t cell) {
    int32_t at = cell % s->puzzle->columns + 1;
    return line_of(s, s->filled, 0, cell / s->puzzle->columns)[at >> 6] & bit(at);
}

bool is_open(const state *s, uint32_t cell) {
    int32_t row = cell / s->puzzle->columns, at = cell % s->puzzle->columns + 1;
    return !((line_of(s, s->filled, 0, row)[at >> 6] | line_of(s, s->empty, 0, row)[at >> 6]) & bit(at));
}

word open_cells(const state *s, int32_t row, int index) {
    const int32_t last = s->puzzle->columns + 1; /* the bit behind the last cell */
    word inside = index < last >> 6 ? ~(word)0 : bit(last) - 1;
    if (!index) inside &= ~(word)1;
    return inside & ~(line_of(s, s->filled, 0, row)[index] | line_of(s, s->empty, 0, row)[index]);
}

bool has_queue(const state *s) {
    for (int i = 0; i < queue_words(s, 0) + queue_words(s, 1); i++)
        if (s->queue[i]) return true;
    return false;
}

void clear_queue(state *s) {
    memset(s->queue, 0, sizeof(word) * (queue_words(s, 0) + queue_words(s, 1)));
    s->axis = 0;
}

void requeue(state *s, uint32_t cell) {
    int32_t row = cell / s->puzzle->columns, column = cell % s->puzzle->columns;
    queue_of(s, 0)[row >> 6] |= bit(row);
    queue_of(s, 1)[column >> 6] |= bit(column);
}

void settle(state *s, uint32_t cell, bool value) {
    int32_t row = cell / s->puzzle->columns, column = cell % s->puzzle->columns;
    word *side = value ? s->filled : s->empty;
    line_of(s, side, 0, row)[(column + 1) >> 6] |= bit(column + 1);
    line_of(s, side, 1, column)[(row + 1) >> 6] |= bit(row + 1);
    requeue(s, cell);
    s->trail[s->settled++] = cell;
}

void undo(state *s, int64_t settled) {
    while (s->settled > settled) {
        uint32_t cell = s->trail[--s->settled];
        int32_t row = cell / s->puzzle->columns, column = cell % s->puzzle->columns;
        line_of(s, s->filled, 0, row)[(column + 1) >> 6] &= ~bit(column + 1);
        line_of(s, s->empty, 0, row)[(column + 1) >> 6] &= ~bit(column + 1);
        line_of(s, s->filled, 1, column)[(row + 1) >> 6] &= ~bit(row + 1);
        line_of(s, s->empty, 1, column)[(row + 1) >> 6] &= ~bit(row + 1);
    }
}

/* The next line to solve, rows and columns in turn; -1 if all stand still. */
static int32_t next_line(state *s) {
    /* The axis changes only when its queue is empty: a line then meets the changes of many lines at once. */
    for (int turn = 0; turn < 2; turn++, s->axis ^= 1) {
        word *queue = queue_of(s, s->axis);
        for (int i = 0, n = queue_words(s, s->axis); i < n; i++)
            if (queue[i]) {
                int at = __builtin_ctzll(queue[i]);
                queue[i] &= queue[i] - 1;
                return i * 64 + at;
            }
    }
    return -1;
}

/* Begin with a small memo, and let it grow with the search: new pages of memory cost an easy puzzle more than they save. It
 * is optional: without memory it stays as it is. */
void enlarge_memo(puzzle *p) {
    const size_t lines = (size_t)p->rows + p->columns;
    const int bits = p->memo ? p->memo_bits + 2 : 5;
    memory *memo = lines << bits <= MAX_MEMO ? calloc(lines << bits, sizeof *memo) : NULL;
    p->misses = 0;
    if (!memo) return;
    free(p->memo);
    p->memo = memo, p->memo_bits = bits;
}

/* Solve a line, or recall it if it has one word: probes and guesses meet the same few states again and again. */
INLINE bool solve_or_recall(state *s, int32_t line, int length, int words, word *filled, word *empty, word *scratch) {
    puzzle *p = s->puzzle;
    const clue *c = &p->clues[line];
    memory *m = NULL;
    /* Counted from the size of the line, not measured, so that a run can be repeated exactly. */
    s->work += 20;
    /* A line of which nothing is known has the key of an entry that was never used. */
    if (words == 1 && p->memo && (*filled | *empty)) {
        if (p->misses >> p->memo_bits > 4 * ((int64_t)p->rows + p->columns)) enlarge_memo(p);
        const word key = (*filled * 0x9e3779b97f4a7c15 ^ *empty) * 0xff51afd7ed558ccd;
        m = p->memo + ((size_t)line << p->memo_bits) + ((key ^ key >> 29) * 0x9e3779b97f4a7c15 >> (64 - p->memo_bits));
        if (m->filled == *filled && m->empty == *empty) {
            *filled = m->new_filled, *empty = m->new_empty;
            return !(*filled & *empty);
        }
        m->filled = *filled, m->empty = *empty;
        p->misses++;
    }
    s->work += (int64_t)words * (20 + 20 * c->blocks);
    const bool fits = solve_line(c, length, words, filled, empty, scratch);
    if (m) m->new_filled = fits ? *filled : ~(word)0, m->new_empty = fits ? *empty : ~(word)0;
    return fits;
}

/* Solve one line, and settle in the lines across what it settles; false on a contradiction. */
INLINE bool solve_next(state *s, int32_t number, const int words) {
    const puzzle *p = s->puzzle;
    const int axis = s->axis;
    const int32_t line = axis ? p->rows + number : number;
    word *filled = line_of(s, s->filled, axis, number), *empty = line_of(s, s->empty, axis, number);
    word *new_filled = s->scratch, *new_empty = new_filled + words;

    /* Into copies, because the cells that change must be settled in the lines across too. */
    memcpy(new_filled, filled, sizeof(word) * words);
    memcpy(new_empty, empty, sizeof(word) * words);
    s->touched[line >> 6] |= bit(line);
    s->lines++;
    if (!solve_or_recall(s, line, axis ? p->rows : p->columns, words, new_filled, new_empty, new_empty + words)) return false;

    word *queue = queue_of(s, !axis);
    for (int i = 0; i < words; i++) {
        word fresh = (new_filled[i] & ~filled[i]) | (new_empty[i] & ~empty[i]);
        filled[i] = new_filled[i];
        empty[i] = new_empty[i];
        for (; fresh; fresh &= fresh - 1) {
            int32_t across = i * 64 + __builtin_ctzll(fresh) - 1;
            word *side = line_of(s, new_filled[i] & fresh & -fresh ? s->filled : s->empty, !axis, across);
            side[(number + 1) >> 6] |= bit(number + 1);
            queue[across >> 6] |= bit(across);
            s->trail[s->settled++] = axis ? (uint32_t)across * p->columns + number : (uint32_t)number * p->columns + across;
        }
    }
    return true;
}

bool propagate(state *s, int64_t until) {
    for (int32_t number; s->work < until && (number = next_line(s)) >= 0;) {
        const int words = s->puzzle->words[s->axis];
        /* With the number known, nearly all lines take no loop over words. */
        if (!(words == 1 ? solve_next(s, number, 1) : solve_next(s, number, words))) {
            clear_queue(s);
            return false;
        }
    }
    return true;
}
