/* Extreme alignment with a complete search: the method of alignment.py, which searches the same nodes in the same order.
 *
 * Nothing is shared with the line solver of the other files, so that each can check the other. Even a cell is another
 * thing: a byte here, which stands both in its row and in its column. All memory is allocated before the search. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { OPEN, FILLED, EMPTY };                /* a cell */
enum { EXHAUSTED, FULL, SPENT };             /* why a call returned */
enum { FIXPOINT, CONTRADICTION, LATER };     /* why no more lines are aligned */
enum { LINES, NODES, BACKTRACKS, SOLUTIONS }; /* the solutions are those of the last call */

typedef struct {
    int32_t settled; /* number of cells settled before it */
    int32_t cell;
    bool is_second;  /* whether the cell has its second value, empty */
} guess;

typedef struct {
    int32_t rows, columns, lines;
    int32_t *first, *block; /* the index of each line's first block, and the lengths of all blocks */
    uint8_t *row, *column;  /* all cells, by rows and by columns */
    int32_t *queue;         /* the lines to align: a ring of `waiting` lines from `head` on */
    bool *is_waiting;       /* whether a line is in it */
    int32_t head, waiting;
    int32_t *trail, settled; /* the cells settled, in this order */
    guess *guesses;
    int32_t depth;
    bool is_leaf; /* whether the last guess is to be taken back: it led to a solution or a contradiction */
    int32_t *front, *back, *mirrored; /* starts of a line's blocks in both placements; its blocks in reverse order */
    uint8_t *mirror;                  /* its cells in reverse order */
    int64_t work, counts[4];
} alignment;

API void crosslit_alignment_free(alignment *a) {
    void *const parts[] = {a->first,      a->block,   a->row,   a->column, a->queue,    a->trail,
                           a->is_waiting, a->guesses, a->front, a->back,   a->mirrored, a->mirror};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) free(parts[part]);
    free(a);
}

static void enqueue(alignment *a, int32_t line) {
    if (a->is_waiting[line]) return;
    a->is_waiting[line] = true;
    a->queue[(a->head + a->waiting++) % a->lines] = line;
}

static int32_t dequeue(alignment *a) {
    const int32_t line = a->queue[a->head];
    a->head = (a->head + 1) % a->lines;
    a->waiting--;
    a->is_waiting[line] = false;
    return line;
}

/* A search of a puzzle, given the number of each line's blocks, which fit it, and all their lengths, rows before
 * columns; NULL if there is not enough memory. */
API alignment *crosslit_alignment_new(int32_t rows, int32_t columns, const int32_t *numbers, const int32_t *blocks) {
    alignment *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    const size_t lines = (size_t)rows + (size_t)columns, cells = (size_t)rows * (size_t)columns;
    const size_t longest = (size_t)(rows > columns ? rows : columns);
    size_t all = 0;
    for (size_t line = 0; line < lines; line++) all += (size_t)numbers[line];
    a->rows = rows, a->columns = columns, a->lines = (int32_t)lines;
    a->first = malloc((lines + 1) * sizeof *a->first), a->block = malloc((all + 1) * sizeof *a->block);
    a->row = calloc(cells, 1), a->column = calloc(cells, 1);
    a->queue = malloc(lines * sizeof *a->queue), a->is_waiting = calloc(lines, sizeof *a->is_waiting);
    a->trail = malloc(cells * sizeof *a->trail), a->guesses = malloc(cells * sizeof *a->guesses);
    a->front = malloc(longest * sizeof *a->front), a->back = malloc(longest * sizeof *a->back);
    a->mirrored = malloc(longest * sizeof *a->mirrored), a->mirror = malloc(longest);
    if (!a->first || !a->block || !a->row || !a->column || !a->queue || !a->is_waiting || !a->trail || !a->guesses ||
        !a->front || !a->back || !a->mirrored || !a->mirror) {
        crosslit_alignment_free(a);
        return NULL;
    }
    if (all) memcpy(a->block, blocks, all * sizeof *blocks); /* no blocks: the address of an empty array is null */
    a->first[0] = 0;
    for (size_t line = 0; line < lines; line++) {
        a->first[line + 1] = a->first[line] + numbers[line];
        enqueue(a, (int32_t)line);
    }
    a->counts[NODES] = 1;
    return a;
}

/* Finds the leftmost placement that avoids empty cells and covers filled ones; false if there is none. Blocks move to the
 * right only, and never beyond their starts in any placement; so this ends, with the leftmost placement or none. */
static bool leftmost(alignment *a, const int32_t *block, int32_t blocks, const uint8_t *cell, int32_t length,
                     int32_t *start) {
    for (int32_t i = 0, end = 0; i < blocks; end += block[i] + 1, i++) start[i] = end;
    for (bool has_moved = true; has_moved;) {
        a->work += length;
        /* avoid: push each block past the block before it and past the empty cells under it */
        for (int32_t i = 0, end = 0; i < blocks; end = start[i] + block[i] + 1, i++) {
            if (start[i] < end) start[i] = end;
            for (int32_t c = start[i]; c < start[i] + block[i]; c++) {
                if (c >= length) return false; /* the block before may end at the last cell */
                if (cell[c] == EMPTY) start[i] = c + 1;
            }
        }
        /* align: the last filled cell between a block and the next one is covered by that block or those before it, so
         * the block reaches the cell at least; the last block first, as it may leave filled cells to the others */
        int32_t c = length - 1;
        has_moved = false;
        for (int32_t i = blocks - 1; i >= 0; i--) {
            while (c >= start[i] + block[i] && cell[c] != FILLED) c--;
            if (c >= start[i] + block[i]) {
                start[i] = c - block[i] + 1;
                has_moved = true;
            }
            c = start[i] - 1;
        }
        while (c >= 0)
            if (cell[c--] == FILLED) return false;
    }
    return true;
}

/* Settles the open cells of a line between two cells, and enqueues the lines that cross it there. */
static void settle(alignment *a, int32_t line, int32_t from, int32_t to, uint8_t value) {
    const bool is_row = line < a->rows;
    for (int32_t c = from; c < to; c++) {
        const int32_t row = is_row ? line : c, column = is_row ? c : line - a->rows;
        const int32_t at = row * a->columns + column;
        if (a->row[at] != OPEN) continue;
        a->row[at] = a->column[column * a->rows + row] = value;
        a->trail[a->settled++] = at;
        enqueue(a, is_row ? a->rows + column : row);
    }
}

/* Settles the cells on which both extreme placements of a line agree; false if its blocks do not fit the known cells. */
static bool align(alignment *a, int32_t line) {
    const bool is_row = line < a->rows;
    const int32_t length = is_row ? a->columns : a->rows, blocks = a->first[line + 1] - a->first[line];
    const int32_t *block = a->block + a->first[line];
    const uint8_t *cell = is_row ? a->row + line * length : a->column + (line - a->rows) * length;
    if (!leftmost(a, block, blocks, cell, length, a->front)) return false;
    for (int32_t c = 0; c < length; c++) a->mirror[c] = cell[length - 1 - c];
    for (int32_t i = 0; i < blocks; i++) a->mirrored[i] = block[blocks - 1 - i];
    if (!leftmost(a, a->mirrored, blocks, a->mirror, length, a->back)) return false;
    for (int32_t i = 0; i < blocks; i++)
        settle(a, line, length - a->back[blocks - 1 - i] - block[i], a->front[i] + block[i], FILLED);
    int32_t gap = 0; /* its start in the rightmost placement */
    for (int32_t i = 0; i < blocks; i++) {
        settle(a, line, gap, a->front[i], EMPTY);
        gap = length - a->back[blocks - 1 - i];
    }
    settle(a, line, gap, length, EMPTY);
    return true;
}

/* Aligns the lines of the queue until it is empty, or enough work is done. */
static int propagate(alignment *a, int64_t until) {
    while (a->waiting) {
        if (a->work > until) return LATER;
        a->counts[LINES]++;
        if (!align(a, dequeue(a))) {
            while (a->waiting) dequeue(a);
            return CONTRADICTION;
        }
    }
    return FIXPOINT;
}

/* The first open cell in row-major order, -1 if there is none; all cells before the last guess are settled. */
static int32_t open_cell(const alignment *a) {
    const int32_t from = a->depth ? a->guesses[a->depth - 1].cell : 0;
    const uint8_t *found = memchr(a->row + from, OPEN, (size_t)(a->rows * a->columns - from));
    return found ? (int32_t)(found - a->row) : -1;
}

static void branch(alignment *a, int32_t cell, uint8_t value) {
    const int32_t row = cell / a->columns, column = cell % a->columns;
    enqueue(a, row);
    settle(a, row, column, column + 1, value);
    a->counts[NODES]++;
}

/* Takes back the last guess that has another value, and gives its cell that value; false if there is none. */
static bool go_back(alignment *a) {
    for (; a->depth; a->depth--) {
        guess *last = a->guesses + a->depth - 1;
        while (a->settled > last->settled) {
            const int32_t at = a->trail[--a->settled];
            a->row[at] = a->column[at % a->columns * a->rows + at / a->columns] = OPEN;
        }
        if (!last->is_second) {
            last->is_second = true;
            branch(a, last->cell, EMPTY);
            return true;
        }
    }
    return false;
}

/* Continues the search until all solutions are found, there is no room for another one, or enough work is done: about a
 * nanosecond each. Solutions are packed: the cells in row-major order, from the lowest bit of the first byte on. */
API int crosslit_alignment_run(alignment *a, int64_t work, uint8_t *solutions, int64_t room) {
    const int32_t cells = a->rows * a->columns;
    const int64_t until = a->work + work;
    a->counts[SOLUTIONS] = 0;
    for (;;) {
        if (a->is_leaf && !go_back(a)) return EXHAUSTED;
        a->is_leaf = false;
        const int end = propagate(a, until);
        if (end == LATER) return SPENT;
        const int32_t cell = end == FIXPOINT ? open_cell(a) : -1;
        if (cell >= 0) {
            a->guesses[a->depth++] = (guess){a->settled, cell, false};
            branch(a, cell, FILLED);
            continue;
        }
        a->is_leaf = true;
        if (end == CONTRADICTION) {
            a->counts[BACKTRACKS]++;
            continue;
        }
        memset(solutions, 0, ((size_t)cells + 7) / 8);
        for (int32_t c = 0; c < cells; c++) solutions[c / 8] |= (uint8_t)((a->row[c] == FILLED) << c % 8);
        solutions += (cells + 7) / 8;
        a->work += cells;
        if (++a->counts[SOLUTIONS] == room) return FULL;
    }
}

API const int64_t *crosslit_alignment_counts(const alignment *a) { return a->counts; }
