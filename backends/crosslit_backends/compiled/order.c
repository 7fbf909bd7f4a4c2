/* The order encoding of open cells, for a SAT solver: the clauses of `residue` in the modules `order` (of one colour) and
 * `clauses` of crosslit_encoders.nonogram, which explain them and which the tests compare these with. */
#include <stdlib.h>

#include "nonogram.h"

enum { TRUE = 1 << 30, FALSE = -TRUE }; /* literals that stand for constants */

typedef struct {
    int32_t *literals; /* of all clauses; NULL to count only */
    int64_t *ends;     /* of each clause in them */
    int64_t used, clauses, variables;
} formula;

static void put(formula *f, int32_t literal) {
    if (f->literals) f->literals[f->used] = literal;
    f->used++;
}

static void end(formula *f) {
    if (f->literals) f->ends[f->clauses] = f->used;
    f->clauses++;
}

/* Add a clause: none if it always holds, and without the literals that never do. */
static void add(formula *f, int32_t a, int32_t b, int32_t c) {
    const int32_t given[] = {a, b, c};
    if (a == TRUE || b == TRUE || c == TRUE || a == -b) return;
    for (int i = 0; i < 3; i++)
        if (given[i] != FALSE) put(f, given[i]);
    end(f);
}

/* Whether an empty cell must be between block j and the one before it. */
static bool is_apart(const clue *c, int32_t j) {
    return j > 0 && j < c->blocks && c->colour[j] == c->colour[j - 1];
}

/* Where each block can start, in an arrangement of the whole line that agrees with what its cells can be: blocks * length.
 * A place `at` is the cell before which a gap may end, from the left, or with which it may begin, from the right.
 * `cells` are the literals of the states of each cell. */
static void find_starts(const clue *c, int32_t length, int32_t states, const int32_t *cells, bool *can, bool *gap,
                        int32_t *room) {
#define CLEAR(at) (cells[(size_t)(at) * states] != FALSE)
    gap[0] = true;
    for (int32_t at = 1; at <= length; at++) gap[at] = gap[at - 1] && CLEAR(at - 1);
    for (int32_t j = 0; j < c->blocks; j++) {
        bool *start = can + (size_t)j * length;
        const int32_t block = c->length[j], back = block + is_apart(c, j + 1), colour = c->colour[j];
        room[length] = 0; /* how many cells in a row, from this one on, can have the colour */
        for (int32_t at = length - 1; at >= 0; at--)
            room[at] = cells[(size_t)at * states + colour] == FALSE ? 0 : room[at + 1] + 1;
        for (int32_t at = 0; at < length; at++) start[at] = gap[at] && room[at] >= block;
        gap[0] = false;
        for (int32_t at = 1; at <= length; at++) {
            const bool begins = at >= back && start[at - back] && (back == block || CLEAR(at - 1));
            gap[at] = begins || (gap[at - 1] && CLEAR(at - 1));
        }
    }
    gap[length] = true;
    for (int32_t at = length - 1; at >= 0; at--) gap[at] = gap[at + 1] && CLEAR(at);
    for (int32_t j = c->blocks - 1; j >= 0; j--) {
        bool *start = can + (size_t)j * length;
        for (int32_t at = 0; at < length; at++) start[at] = start[at] && gap[at + c->length[j]];
        gap[length] = false; /* behind a block that another one follows */
        for (int32_t at = length - 1; at >= 0; at--) {
            const bool ends = is_apart(c, j) ? CLEAR(at) && at + 1 < length && start[at + 1] : start[at];
            gap[at] = ends || (CLEAR(at) && gap[at + 1]);
        }
    }
#undef CLEAR
}

/* "Block j starts at p or before", among the literals of a line; a block before the first always has. */
static int32_t started(const clue *c, int32_t length, const int32_t *starts, int32_t j, int32_t p) {
    if (j < 0) return TRUE;
    return j == c->blocks || p < 0 ? FALSE : starts[(size_t)j * length + p];
}

static void encode_line(formula *f, const clue *c, int32_t length, int32_t states, const int32_t *cells, const bool *can,
                   int32_t *starts) {
    for (int32_t j = 0; j < c->blocks; j++) {
        const bool *start = can + (size_t)j * length;
        int32_t choices = 0, reached = 0;
        for (int32_t p = 0; p < length; p++) choices += start[p];
        for (int32_t p = 0; p < length; p++) {
            reached += start[p];
            const int32_t variable = (int32_t)f->variables + reached;
            starts[(size_t)j * length + p] = !reached ? FALSE : reached < choices ? variable : TRUE;
        }
        f->variables += choices - 1;
    }
#define S(j, p) started(c, length, starts, j, p)
    for (int32_t j = -1; j < c->blocks; j++) {
        const int32_t block = j < 0 ? 0 : c->length[j];
        for (int32_t p = 0; p < length; p++) {
            const int32_t *cell = cells + (size_t)p * states;
            if (j >= 0 && p + 1 < length) add(f, -S(j, p), S(j, p + 1), FALSE); /* the ladder */
            if (j >= 0 && j + 1 < c->blocks && can[(size_t)(j + 1) * length + p])
                add(f, -S(j + 1, p), S(j, p - block - is_apart(c, j + 1)), FALSE); /* the order of the blocks */
            if (j >= 0) add(f, -S(j, p), S(j, p - block), cell[c->colour[j]]); /* started and not ended */
            add(f, -S(j, p - block), S(j + 1, p), cell[0]); /* ended, and the next one has not started */
        }
    }
#undef S
}

/* Encode the lines that are open; every line can be completed. `values` are the literals of the states of each cell. Leaves
 * the numbers of variables, clauses and literals in sizes[1] to sizes[3]. Returns false without memory. */
static bool encode_lines(formula *f, int32_t rows, int32_t columns, int32_t states, const clue *clues,
                         const int32_t *values, const bool *open, int64_t *sizes) {
    const int32_t longest = rows > columns ? rows : columns;
    int32_t most = 0;
    for (int32_t i = 0; i < rows + columns; i++)
        if (clues[i].blocks > most) most = clues[i].blocks;
    bool *can = malloc((size_t)most * longest + 1), *gap = malloc((size_t)longest + 1);
    int32_t *starts = malloc(sizeof *starts * ((size_t)most * longest + 1));
    int32_t *line = malloc(sizeof *line * (states + 1) * ((size_t)longest + 1)); /* and `room` */
    const bool has_memory = can && gap && starts && line;
    for (int32_t i = 0; has_memory && i < rows + columns; i++) {
        if (!open[i]) continue;
        const bool across = i < rows;
        const int32_t length = across ? columns : rows;
        for (int32_t at = 0; at < length; at++) {
            const size_t cell = across ? (size_t)i * columns + at : (size_t)at * columns + i - rows;
            for (int32_t k = 0; k < states; k++) line[(size_t)at * states + k] = values[cell * states + k];
        }
        find_starts(clues + i, length, states, line, can, gap, line + (size_t)states * longest);
        encode_line(f, clues + i, length, states, line, can, starts);
    }
    sizes[1] = f->variables, sizes[2] = f->clauses, sizes[3] = f->used;
    free(can), free(gap), free(starts), free(line);
    return has_memory;
}

bool encode(int32_t rows, int32_t columns, int32_t states, const clue *clues, const uint32_t *masks, int32_t *literals,
            int64_t *ends, int64_t *sizes) {
    const size_t cells = (size_t)rows * columns;
    int32_t *values = malloc(sizeof *values * cells * states);
    bool *open = calloc(rows + columns, sizeof *open);
    bool has_memory = values && open;
    formula f = {literals, ends, 0, 0, 0};
    for (size_t cell = 0; has_memory && cell < cells; cell++) {
        const uint32_t mask = masks[cell];
        const bool is_open = mask & (mask - 1);
        const int32_t first = (int32_t)f.variables + 1;
        open[cell / columns] |= is_open, open[rows + cell % columns] |= is_open;
        if (states == 2) {
            values[2 * cell + 1] = is_open ? (int32_t)++f.variables : mask & 2 ? TRUE : FALSE;
            values[2 * cell] = -values[2 * cell + 1];
            continue;
        }
        for (int32_t k = 0; k < states; k++)
            values[cell * states + k] = !(mask >> k & 1) ? FALSE : is_open ? (int32_t)++f.variables : TRUE;
        if (!is_open) continue;
        for (int32_t one = first; one <= f.variables; one++) put(&f, one);
        end(&f);
        for (int32_t one = first; one <= f.variables; one++)
            for (int32_t other = one + 1; other <= f.variables; other++) add(&f, -one, -other, FALSE);
    }
    sizes[0] = f.variables;
    has_memory = has_memory && encode_lines(&f, rows, columns, states, clues, values, open, sizes);
    free(values), free(open);
    return has_memory;
}
