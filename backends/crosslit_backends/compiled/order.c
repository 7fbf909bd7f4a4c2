/* The order encoding of the open cells of a search, for a SAT solver: the clauses of `residue` in the module
 * crosslit_encoders.nonogram.order, which explains them and which the tests compare these with, line by line. */
#include <stdlib.h>

#include "kernel.h"

enum { TRUE = 1 << 30, FALSE = -TRUE }; /* literals that stand for constants */

typedef struct {
    int32_t *literals; /* of all clauses; NULL to count only */
    int64_t *ends;     /* of each clause in them */
    int64_t used, clauses, variables;
} formula;

/* Add a clause: none if it always holds, and without the literals that never do. */
static void add(formula *f, int32_t a, int32_t b, int32_t c) {
    const int32_t given[] = {a, b, c};
    if (a == TRUE || b == TRUE || c == TRUE || a == -b) return;
    for (int i = 0; i < 3; i++) {
        if (given[i] == FALSE) continue;
        if (f->literals) f->literals[f->used] = given[i];
        f->used++;
    }
    if (f->literals) f->ends[f->clauses] = f->used;
    f->clauses++;
}

/* Where each block can start, in an arrangement of the whole line that agrees with the known cells: blocks * length.
 * A place `at` is the cell before which a gap may end, from the left, or with which it may begin, from the right. */
static void find_starts(const clue *c, int32_t length, const int32_t *cells, bool *can, bool *gap, int32_t *room) {
    room[length] = 0; /* how many cells in a row, from this one on, are not empty */
    for (int32_t at = length - 1; at >= 0; at--) room[at] = cells[at] == FALSE ? 0 : room[at + 1] + 1;
    gap[0] = true;
    for (int32_t at = 1; at <= length; at++) gap[at] = gap[at - 1] && cells[at - 1] != TRUE;
    for (int32_t j = 0; j < c->blocks; j++) {
        bool *start = can + (size_t)j * length;
        const int32_t block = c->block[j];
        for (int32_t at = 0; at < length; at++) start[at] = gap[at] && room[at] >= block;
        gap[0] = false;
        for (int32_t at = 1; at <= length; at++)
            gap[at] = cells[at - 1] != TRUE && (gap[at - 1] || (at > block && start[at - 1 - block]));
    }
    gap[length] = true;
    for (int32_t at = length - 1; at >= 0; at--) gap[at] = gap[at + 1] && cells[at] != TRUE;
    for (int32_t j = c->blocks - 1; j >= 0; j--) {
        bool *start = can + (size_t)j * length;
        for (int32_t at = 0; at < length; at++) start[at] = start[at] && gap[at + c->block[j]];
        gap[length] = false; /* behind a block that another one follows */
        for (int32_t at = length - 1; at >= 0; at--)
            gap[at] = cells[at] != TRUE && (gap[at + 1] || (at + 1 < length && start[at + 1]));
    }
}

/* "Block j starts at p or before", among the literals of a line; a block before the first always has. */
static int32_t started(const clue *c, int32_t length, const int32_t *starts, int32_t j, int32_t p) {
    if (j < 0) return TRUE;
    return j == c->blocks || p < 0 ? FALSE : starts[(size_t)j * length + p];
}

static void encode(formula *f, const clue *c, int32_t length, const int32_t *cells, const bool *can, int32_t *starts) {
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
        const int32_t block = j < 0 ? 0 : c->block[j];
        for (int32_t p = 0; p < length; p++) {
            if (j >= 0 && p + 1 < length) add(f, -S(j, p), S(j, p + 1), FALSE); /* the ladder */
            if (j >= 0 && j + 1 < c->blocks && can[(size_t)(j + 1) * length + p])
                add(f, -S(j + 1, p), S(j, p - block - 1), FALSE); /* the order of the blocks */
            if (j >= 0) add(f, -S(j, p), S(j, p - block), cells[p]); /* started and not ended */
            add(f, -S(j, p - block), S(j + 1, p), -cells[p]);        /* ended, and the next one has not started */
        }
    }
#undef S
}

/* Encode the own rows and the columns in which they have open cells; every line can be completed. Open cells are numbered
 * from 1 in row-major order.
 *
 * Args: filled and empty, sides as `crosslit_root` writes them; literals and the ends of clauses in them, with enough room,
 * or NULL; sizes, where the numbers of open cells, variables, clauses and literals are left. Returns false without memory.
 * It only reads what no search changes, so another thread may search meanwhile. */
API bool crosslit_encode(const search *x, const word *filled, const word *empty, int32_t *literals, int64_t *ends,
                         int64_t *sizes) {
    const puzzle *p = x->s.puzzle;
    const int32_t longest = p->rows > p->columns ? p->rows : p->columns;
    const int32_t lines = p->rows + p->columns;
    int32_t most = 0;
    for (int32_t i = 0; i < lines; i++)
        if (p->clues[i].blocks > most) most = p->clues[i].blocks;
    int32_t *cells = malloc(sizeof *cells * p->rows * p->columns);
    bool *open = calloc(lines, sizeof *open);
    bool *can = malloc((size_t)most * longest + 1), *gap = malloc((size_t)longest + 1);
    int32_t *starts = malloc(sizeof *starts * ((size_t)most * longest + 1));
    int32_t *line = malloc(sizeof *line * (2 * (size_t)longest + 1)); /* and `room` */
    const bool has_memory = cells && open && can && gap && starts && line;
    formula f = {literals, ends, 0, 0, 0};
    for (int32_t row = 0; has_memory && row < p->rows; row++)
        for (int32_t column = 0; column < p->columns; column++) {
            const size_t at = (size_t)row * p->words[0] + ((column + 1) >> 6);
            const word bit = (word)1 << ((column + 1) & 63);
            int32_t *cell = cells + (size_t)row * p->columns + column;
            *cell = filled[at] & bit ? TRUE : FALSE;
            if ((filled[at] | empty[at]) & bit || !x->own[row]) continue;
            *cell = (int32_t)++f.variables;
            open[row] = open[p->rows + column] = true;
        }
    sizes[0] = f.variables;
    for (int32_t i = 0; has_memory && i < lines; i++) {
        if (!open[i]) continue;
        const bool across = i < p->rows;
        const int32_t length = across ? p->columns : p->rows;
        for (int32_t at = 0; at < length; at++)
            line[at] = across ? cells[(size_t)i * length + at] : cells[(size_t)at * p->columns + i - p->rows];
        find_starts(p->clues + i, length, line, can, gap, line + longest);
        encode(&f, p->clues + i, length, line, can, starts);
    }
    sizes[1] = f.variables, sizes[2] = f.clauses, sizes[3] = f.used;
    free(cells), free(open), free(can), free(gap), free(starts), free(line);
    return has_memory;
}
