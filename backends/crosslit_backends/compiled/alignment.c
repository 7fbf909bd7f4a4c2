/* Extreme alignment of the lines of a nonogram, and probes by it: the method of alignment.py, which keeps the guesses.
 *
 * Nothing is shared with the line solver of the other files, so that each can check the other. Even a cell is another
 * thing: here it stands once, as the set of colours that it can have. All memory is allocated before a search. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { SETTLED = -1, CONTRADICTION = -2, SPENT = -3 }; /* what a call returns if it returns no guess */
enum { ALL = -1, CONTINUE = -2 };                      /* instead of a cell that was changed */
enum { MAX_STATES = 32 };

typedef struct {
    int32_t rows, columns, lines, states;
    int32_t *first;                 /* the index of each line's first block */
    int32_t *length[2], *colour[2]; /* of all blocks; those of each line in order, and in reverse order */
    int32_t *front, *back;          /* starts of a line's blocks in both placements, the second on the mirrored line */
    uint32_t *line, *mirror, *may;  /* its cells; and the colours that its blocks leave to each */
    int32_t *queue, head, waiting;  /* the lines to align: a ring of `waiting` lines from `head` on */
    bool *is_waiting;
    uint32_t *mask;                 /* the colours of each cell; the caller's */
    struct { int32_t cell; uint32_t mask; } *trail; /* what was changed, in order, and what it was before */
    int64_t changes;
    uint32_t *fits;                 /* for each cell the colours whose probes would end as before, without a contradiction */
    int32_t *gain;                  /* for each cell and colour how much its last probe changed */
    uint32_t *failed;               /* for each cell how many probes were contradictions */
    int32_t next;                   /* the cell to probe next */
    int64_t work, aligned;
} alignment;

API void crosslit_alignment_free(alignment *a) {
    void *all[] = {a->first, a->length[0], a->length[1], a->colour[0], a->colour[1], a->front, a->back, a->line, a->mirror,
                   a->may, a->queue, a->is_waiting, a->trail, a->fits, a->gain, a->failed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(a);
}

/* A search of a puzzle, given the number of each line's blocks, and the lengths and colours of all, rows before columns;
 * NULL without memory. */
API alignment *crosslit_alignment_new(int32_t rows, int32_t columns, int32_t states, const int32_t *numbers,
                                      const int32_t *lengths, const int32_t *colours) {
    alignment *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    const size_t lines = (size_t)rows + columns, cells = (size_t)rows * columns, longest = rows > columns ? rows : columns;
    size_t blocks = 0, most = 0;
    for (size_t i = 0; i < lines; i++) blocks += numbers[i], most = (size_t)numbers[i] > most ? (size_t)numbers[i] : most;
    a->rows = rows, a->columns = columns, a->states = states, a->lines = (int32_t)lines;
    bool has_memory = true;
#define ALLOCATE(part, count) has_memory &= !!(a->part = calloc((count) + 1, sizeof *a->part))
    ALLOCATE(first, lines), ALLOCATE(length[0], blocks), ALLOCATE(length[1], blocks), ALLOCATE(colour[0], blocks);
    ALLOCATE(colour[1], blocks), ALLOCATE(front, most), ALLOCATE(back, most), ALLOCATE(line, longest);
    ALLOCATE(mirror, longest), ALLOCATE(may, longest), ALLOCATE(queue, lines), ALLOCATE(is_waiting, lines);
    ALLOCATE(trail, cells * states), ALLOCATE(fits, cells), ALLOCATE(gain, cells * states), ALLOCATE(failed, cells);
#undef ALLOCATE
    if (!has_memory) {
        crosslit_alignment_free(a);
        return NULL;
    }
    for (size_t i = 0; i < lines; i++) {
        const int32_t first = a->first[i], last = a->first[i + 1] = first + numbers[i];
        for (int32_t j = first; j < last; j++) {
            a->length[0][j] = lengths[j], a->length[1][last - 1 - (j - first)] = lengths[j];
            a->colour[0][j] = colours[j], a->colour[1][last - 1 - (j - first)] = colours[j];
        }
    }
    return a;
}

/* Find the leftmost placement of a line's blocks that its cells allow; false if there is none. Blocks move to the right
 * only, and never beyond their starts in any placement; so this ends, with the leftmost placement or none. */
static bool leftmost(alignment *a, const int32_t *length, const int32_t *colour, int32_t blocks, const uint32_t *cell,
                     int32_t cells, int32_t *start) {
    for (int32_t i = 0; i < blocks; i++) start[i] = 0;
    for (bool has_moved = true; has_moved;) {
        a->work += cells;
        /* avoid: push each block past the block before it and past the cells under it that cannot have its colour */
        for (int32_t i = 0, end = 0; i < blocks; end = start[i] + length[i], i++) {
            end += i && colour[i] == colour[i - 1];
            if (start[i] < end) start[i] = end;
            for (int32_t c = start[i]; c < start[i] + length[i]; c++) {
                if (c >= cells) return false;
                if (!(cell[c] >> colour[i] & 1)) start[i] = c + 1;
            }
        }
        /* align: a cell between a block and the next one that cannot be empty is covered by that block or those before
         * it, so the block reaches the cell, or begins behind it if it has another colour */
        int32_t c = cells - 1;
        has_moved = false;
        for (int32_t i = blocks - 1; i >= 0; i--) {
            while (c >= start[i] + length[i] && cell[c] & 1) c--;
            if (c >= start[i] + length[i]) {
                start[i] = cell[c] >> colour[i] & 1 ? c - length[i] + 1 : c + 1;
                has_moved = true;
            }
            c = start[i] - 1;
        }
        while (c >= 0)
            if (!(cell[c--] & 1)) return false;
    }
    return true;
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

static void change(alignment *a, int32_t cell, uint32_t mask) {
    a->trail[a->changes].cell = cell, a->trail[a->changes++].mask = a->mask[cell];
    a->mask[cell] = mask;
}

/* Exclude the colours that no placement between the extreme ones gives a cell; false if the blocks do not fit. */
static bool align(alignment *a, int32_t line) {
    const bool is_row = line < a->rows;
    const int32_t cells = is_row ? a->columns : a->rows, stride = is_row ? 1 : a->columns;
    const int32_t from = is_row ? line * a->columns : line - a->rows;
    const int32_t first = a->first[line], blocks = a->first[line + 1] - first;
    const int32_t *length = a->length[0] + first, *colour = a->colour[0] + first;
    a->aligned++;
    for (int32_t c = 0; c < cells; c++) a->line[c] = a->mirror[cells - 1 - c] = a->mask[from + c * stride], a->may[c] = 1;
    if (!leftmost(a, length, colour, blocks, a->line, cells, a->front)) return false;
    if (!leftmost(a, a->length[1] + first, a->colour[1] + first, blocks, a->mirror, cells, a->back)) return false;
    for (int32_t i = 0; i < blocks; i++)
        for (int32_t c = a->front[i]; c < cells - a->back[blocks - 1 - i]; c++) a->may[c] |= (uint32_t)1 << colour[i];
    for (int32_t i = 0; i < blocks; i++) /* covered in both placements */
        for (int32_t c = cells - a->back[blocks - 1 - i] - length[i]; c < a->front[i] + length[i]; c++)
            a->may[c] = (uint32_t)1 << colour[i];
    for (int32_t c = 0; c < cells; c++) {
        const uint32_t mask = a->line[c] & a->may[c];
        if (!mask) return false;
        if (mask == a->line[c]) continue;
        change(a, from + c * stride, mask);
        enqueue(a, is_row ? a->rows + c : c);
    }
    return true;
}

/* Align the lines of the queue, until it is empty or enough work is done; false on a contradiction. */
static bool propagate(alignment *a, int64_t until) {
    while (a->waiting && a->work < until)
        if (!align(a, dequeue(a))) {
            while (a->waiting) dequeue(a);
            return false;
        }
    return true;
}

static bool is_open(const alignment *a, int32_t cell) { return a->mask[cell] & (a->mask[cell] - 1); }

static void assume(alignment *a, int32_t cell, uint32_t mask) {
    change(a, cell, mask);
    enqueue(a, cell / a->columns), enqueue(a, a->rows + cell % a->columns);
}

/* Probe the colours of the next open cell of which it is not known that they fit; false if there is none. */
static bool probe(alignment *a) {
    const int32_t cells = a->rows * a->columns;
    int32_t passed = 0;
    for (; passed < cells && !(is_open(a, a->next) && a->mask[a->next] & ~a->fits[a->next]); passed++)
        a->next = (a->next + 1) % cells;
    if (passed == cells) return false;
    const int32_t cell = a->next;
    for (uint32_t left = a->mask[cell] & ~a->fits[cell]; left; left &= left - 1) {
        a->changes = 0;
        assume(a, cell, left & -left);
        const bool fits = propagate(a, INT64_MAX);
        a->gain[(size_t)cell * a->states + __builtin_ctz(left)] = (int32_t)a->changes;
        /* A colour that follows from one that fits leads to no contradiction either. */
        for (int64_t i = 0; fits && i < a->changes; i++)
            if (!is_open(a, a->trail[i].cell)) a->fits[a->trail[i].cell] |= a->mask[a->trail[i].cell];
        while (a->changes) a->changes--, a->mask[a->trail[a->changes].cell] = a->trail[a->changes].mask;
        if (fits) continue;
        a->failed[cell]++;
        memset(a->fits, 0, sizeof *a->fits * cells);
        assume(a, cell, a->mask[cell] & ~(left & -left));
        break;
    }
    return true;
}

/* The guess at a cell whose colours all change much, and which met many contradictions: more will be found there. */
static int64_t choose(const alignment *a) {
    double best = -1;
    int64_t choice = SETTLED;
    for (int32_t cell = 0; cell < a->rows * a->columns; cell++) {
        double inverse = 0;
        int32_t most = -1, colour = 0;
        if (!is_open(a, cell)) continue;
        for (uint32_t left = a->mask[cell]; left; left &= left - 1) {
            const int32_t gain = 1 + a->gain[(size_t)cell * a->states + __builtin_ctz(left)];
            inverse += 1.0 / gain;
            if (gain >= most) most = gain, colour = __builtin_ctz(left);
        }
        const double score = (1.0 + a->failed[cell]) / inverse;
        if (score > best) best = score, choice = (int64_t)cell * MAX_STATES + colour;
    }
    return choice;
}

/* Align all lines, or those of a cell that was changed, and all that follows; then probe, if that is wanted, until no
 * colour can be excluded. Args: the colours of all cells, which it changes; the work after which it returns SPENT, about
 * a nanosecond each, to be called again with CONTINUE. Returns the guess that it proposes, as cell * MAX_STATES + colour. */
API int64_t crosslit_alignment_run(alignment *a, uint32_t *masks, int32_t changed, bool probes, int64_t work) {
    const int64_t until = a->work + work;
    const int32_t cells = a->rows * a->columns;
    a->mask = masks;
    if (changed != CONTINUE) memset(a->fits, 0, sizeof *a->fits * cells);
    for (int32_t line = 0; changed == ALL && line < a->lines; line++) enqueue(a, line);
    if (changed >= 0) enqueue(a, changed / a->columns), enqueue(a, a->rows + changed % a->columns);
    do {
        if (a->work >= until) return SPENT;
        a->changes = 0;
        if (!propagate(a, until)) return CONTRADICTION;
    } while (a->waiting || (probes && probe(a)));
    return choose(a);
}

API int64_t crosslit_alignment_aligned(const alignment *a) { return a->aligned; }
