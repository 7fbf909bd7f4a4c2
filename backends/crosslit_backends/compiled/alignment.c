/* Extreme alignment with a complete search: the method of alignment.py, with another choice of guesses.
 *
 * Where no line settles a cell, the values of open cells are probed: one is assumed, with all that follows, and settles the
 * cell to the other if it leads to a contradiction. The values that follow from one without a contradiction have none
 * either: to probe them would be a waste.
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
    uint8_t other;   /* the value to search next, OPEN if that is under way */
} guess;

/* A line that was aligned: its filled and its empty cells, as bits, before and after, and whether its blocks fitted. */
typedef struct {
    uint64_t before[2], after[2];
    int32_t line;
    bool fits;
} memory;

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
    uint64_t (*known)[2];             /* the filled and the empty cells of each line, as bits modulo 64 */
    int32_t memo_bits;
    memory *memo;                     /* 2^memo_bits of them */
    int64_t clock, *probed;           /* how often cells were settled but by probes; the clock when a value last fitted */
    int32_t *gain, *failed, next;     /* how many cells a value settled; contradictions of a cell; the cell to probe next */
    int64_t failures, found;          /* contradictions and solutions so far */
    int64_t work, counts[4];
    void *parts[20]; /* all memory above */
    int32_t allocated;
    bool is_short_of_memory;
} alignment;

#define MAX_MEMO_BITS 15 /* 1.3 MB */
#define VALUE(cell, value) (2 * (cell) + (value) - FILLED) /* its index in `probed` and `gain` */

API void crosslit_alignment_free(alignment *a) {
    for (int32_t part = 0; part < a->allocated; part++) free(a->parts[part]);
    free(a);
}

static void *zeros(alignment *a, size_t count, size_t size) {
    void *part = a->parts[a->allocated++] = calloc(count, size);
    a->is_short_of_memory |= !part;
    return part;
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
    while (a->memo_bits < MAX_MEMO_BITS && (size_t)1 << a->memo_bits < 4 * lines * lines) a->memo_bits++;
#define ALLOCATE(part, count) a->part = zeros(a, count, sizeof *a->part)
    ALLOCATE(first, lines + 1), ALLOCATE(block, all + 1), ALLOCATE(row, cells), ALLOCATE(column, cells);
    ALLOCATE(queue, lines), ALLOCATE(is_waiting, lines), ALLOCATE(trail, cells), ALLOCATE(guesses, cells);
    ALLOCATE(front, longest), ALLOCATE(back, longest), ALLOCATE(mirrored, longest), ALLOCATE(mirror, longest);
    ALLOCATE(known, lines), ALLOCATE(memo, (size_t)1 << a->memo_bits), ALLOCATE(probed, 2 * cells);
    ALLOCATE(gain, 2 * cells), ALLOCATE(failed, cells);
    if (a->is_short_of_memory) {
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

/* Gives an open cell a value, or opens a cell of that value. */
static void toggle(alignment *a, int32_t row, int32_t column, uint8_t value) {
    a->row[row * a->columns + column] ^= value, a->column[column * a->rows + row] ^= value;
    a->known[row][value - FILLED] ^= (uint64_t)1 << column % 64;
    a->known[a->rows + column][value - FILLED] ^= (uint64_t)1 << row % 64;
}

/* Settles the open cells of a line between two cells, and enqueues the lines that cross it there. */
static void settle(alignment *a, int32_t line, int32_t from, int32_t to, uint8_t value) {
    const bool is_row = line < a->rows;
    for (int32_t c = from; c < to; c++) {
        const int32_t row = is_row ? line : c, column = is_row ? c : line - a->rows;
        const int32_t at = row * a->columns + column;
        if (a->row[at] != OPEN) continue;
        toggle(a, row, column, value);
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

/* Aligns a line, or recalls what that settled: probes and guesses meet the same few states again and again. */
static bool align_or_recall(alignment *a, int32_t line) {
    const uint64_t *known = a->known[line], key = (known[0] * 0x9e3779b97f4a7c15 + known[1]) * 0xc2b2ae3d27d4eb4f;
    /* before there are probes few states return; then a waiting line has a known cell, unlike an unused entry */
    if (!a->clock || (line < a->rows ? a->columns : a->rows) > 64) return align(a, line);
    memory *m = a->memo + ((key + (uint64_t)line * 0x9e3779b97f4a7c15) >> (64 - a->memo_bits));
    if (m->line != line || memcmp(m->before, known, sizeof m->before)) {
        memcpy(m->before, known, sizeof m->before);
        m->line = line;
        m->fits = align(a, line);
        memcpy(m->after, known, sizeof m->after);
    }
    a->work += 20;
    for (uint8_t value = FILLED; value <= EMPTY; value++)
        for (uint64_t new = m->after[value - FILLED] & ~known[value - FILLED]; new; new &= new - 1)
            settle(a, line, __builtin_ctzll(new), __builtin_ctzll(new) + 1, value);
    return m->fits;
}

/* Aligns the lines of the queue until it is empty, or enough work is done. */
static int propagate(alignment *a, int64_t until) {
    while (a->waiting) {
        if (a->work > until) return LATER;
        a->counts[LINES]++;
        if (!align_or_recall(a, dequeue(a))) {
            while (a->waiting) dequeue(a);
            return CONTRADICTION;
        }
    }
    return FIXPOINT;
}

static void assume(alignment *a, int32_t cell, uint8_t value) {
    enqueue(a, cell / a->columns);
    settle(a, cell / a->columns, cell % a->columns, cell % a->columns + 1, value);
}

static void undo(alignment *a, int32_t settled) {
    while (a->settled > settled) {
        const int32_t at = a->trail[--a->settled];
        toggle(a, at / a->columns, at % a->columns, a->row[at]);
    }
}

/* Takes back the last guess that has another value, and gives its cell that value; false if there is none. */
static bool go_back(alignment *a) {
    for (; a->depth; a->depth--) {
        guess *last = a->guesses + a->depth - 1;
        undo(a, last->settled);
        if (last->other == OPEN) continue;
        assume(a, last->cell, last->other);
        last->other = OPEN;
        a->clock++, a->counts[NODES]++;
        return true;
    }
    return false;
}

static void push(alignment *a, int32_t cell, uint8_t value, int32_t settled) {
    a->guesses[a->depth++] = (guess){settled, cell, value ^ FILLED ^ EMPTY};
    a->clock++, a->counts[NODES]++;
}

/* Probes a value of an open cell. It becomes a guess if it leads to a solution. */
static void probe(alignment *a, int32_t cell, uint8_t value) {
    const int32_t before = a->settled;
    assume(a, cell, value);
    if (propagate(a, INT64_MAX) == CONTRADICTION) {
        undo(a, before);
        a->failed[cell]++, a->failures++, a->clock++;
        assume(a, cell, value ^ FILLED ^ EMPTY);
    } else if (a->settled == a->rows * a->columns) {
        push(a, cell, value, before);
    } else {
        a->gain[VALUE(cell, value)] = a->settled - before;
        for (int32_t i = before; i < a->settled; i++) a->probed[VALUE(a->trail[i], a->row[a->trail[i]])] = a->clock;
        undo(a, before);
    }
}

/* Probes the next value that is not known to fit; false if there is none. */
static bool probe_next(alignment *a) {
    const int32_t cells = a->rows * a->columns;
    if (!a->clock) a->clock = 1;
    for (int32_t passed = 0; passed < cells; passed++, a->next = (a->next + 1) % cells)
        for (uint8_t value = FILLED; value <= EMPTY && a->row[a->next] == OPEN; value++)
            if (a->probed[VALUE(a->next, value)] != a->clock) {
                probe(a, a->next, value);
                return true;
            }
    return false;
}

/* Guesses the cell whose values settle much, and which met many contradictions: more will be found there. */
static void choose(alignment *a) {
    double best = -1;
    int32_t choice = 0;
    for (int32_t cell = 0; cell < a->rows * a->columns; cell++) {
        const double failed = 1.0 + a->failed[cell], gain = (double)a->gain[2 * cell] * a->gain[2 * cell + 1];
        if (a->row[cell] != OPEN || gain * failed * failed * failed <= best) continue;
        best = gain * failed * failed * failed, choice = cell;
    }
    const uint8_t value = a->gain[VALUE(choice, FILLED)] >= a->gain[VALUE(choice, EMPTY)] ? FILLED : EMPTY;
    push(a, choice, value, a->settled);
    assume(a, choice, value);
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
        if (end == FIXPOINT && a->settled < cells) {
            if (a->work > until) return SPENT;
            /* where nearly every guess leads to a solution, as in permutations, probes find nothing */
            if (a->found > 2 * a->failures + 8 || !probe_next(a)) choose(a);
            continue;
        }
        a->is_leaf = true;
        if (end == CONTRADICTION) {
            if (a->depth) a->failed[a->guesses[a->depth - 1].cell]++;
            a->counts[BACKTRACKS]++, a->failures++;
            continue;
        }
        memset(solutions, 0, ((size_t)cells + 7) / 8);
        for (int32_t c = 0; c < cells; c++) solutions[c / 8] |= (uint8_t)((a->row[c] == FILLED) << c % 8);
        solutions += (cells + 7) / 8;
        a->work += cells, a->found++;
        if (++a->counts[SOLUTIONS] == room) return FULL;
    }
}

API const int64_t *crosslit_alignment_counts(const alignment *a) { return a->counts; }
