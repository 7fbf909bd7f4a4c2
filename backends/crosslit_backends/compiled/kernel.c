/* What Python calls, but for `crosslit_run` and its like: to make, read and free searches. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#ifndef KERNEL_MARK
#define KERNEL_MARK ""
#endif

/* The sources that this was compiled from, as the hook that compiles them marks them. */
API const char *crosslit_mark(void) { return KERNEL_MARK; }

static void free_puzzle(puzzle *p) {
    free(p->clues), free(p->numbers), free(p->memo);
    free(p);
}

static void sort(int32_t *numbers, int32_t count) {
    /* Insertion sort: a clue has few different lengths. */
    for (int32_t i = 1; i < count; i++)
        for (int32_t j = i; j && numbers[j - 1] > numbers[j]; j--) {
            int32_t number = numbers[j];
            numbers[j] = numbers[j - 1], numbers[j - 1] = number;
        }
}

/* The clue of so many blocks, with room for 2 * blocks numbers of its own. */
static clue make_clue(const int32_t *block, int32_t blocks, int32_t *length) {
    int32_t *kind = length + blocks, lengths = 0;
    for (int32_t i = 0; i < blocks; i++) { /* each length once */
        int32_t k = 0;
        while (k < lengths && length[k] != block[i]) k++;
        if (k == lengths) length[lengths++] = block[i];
    }
    sort(length, lengths);
    for (int32_t i = 0; i < blocks; i++)
        for (kind[i] = 0; length[kind[i]] != block[i];) kind[i]++;
    return (clue){blocks, lengths, block, length, kind};
}

static puzzle *make_puzzle(int32_t rows, int32_t columns, const int32_t *counts, const int32_t *blocks) {
    puzzle *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    const int32_t lines = rows + columns;
    size_t all = 0, most = 0;
    for (int32_t i = 0; i < lines; i++) all += counts[i];
    p->rows = rows, p->columns = columns;
    p->words[0] = (columns + 2 + 63) / 64, p->words[1] = (rows + 2 + 63) / 64;
    p->first_column = (size_t)rows * p->words[0];
    p->line_words = (lines + 63) / 64;
    p->clues = malloc(sizeof *p->clues * lines);
    /* For each clue its blocks, its lengths and their indices. One more, because malloc(0) may return NULL. */
    p->numbers = malloc(sizeof *p->numbers * (3 * all + 1));
    if (!p->clues || !p->numbers) {
        free_puzzle(p);
        return NULL;
    }
    if (all) memcpy(p->numbers, blocks, sizeof *blocks * all);
    int32_t *block = p->numbers, *own = p->numbers + all;
    for (int32_t i = 0; i < lines; i++) {
        p->clues[i] = make_clue(block, counts[i], own);
        /* Two lines more: a line is solved in a copy. */
        size_t needed = (size_t)(counts[i] + 3 + 2 * p->clues[i].lengths) * p->words[i >= rows];
        if (needed > most) most = needed;
        block += counts[i], own += 2 * counts[i];
    }
    p->scratch = most;
    return p;
}

API void crosslit_free(search *x) {
    if (!x) return;
    state *s = &x->s;
    void *all[] = {s->filled, s->empty, s->queue, s->touched, s->trail, s->scratch, x->own, x->decisions, x->part,
                   x->order, x->row_major, x->count, x->changed, x->probed, x->rests, x->gains, x->conflicts, x->settler};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    if (s->puzzle && !--s->puzzle->users) free_puzzle(s->puzzle);
    free(x);
}

static size_t words_of_side(const puzzle *p) { return p->first_column + (size_t)p->columns * p->words[1]; }

/* A search that knows nothing but its lines' clues; NULL without memory, and a puzzle that no search uses is freed. */
static search *allocate(puzzle *p) {
    search *x = calloc(1, sizeof *x);
    if (!x) {
        if (!p->users) free_puzzle(p);
        return NULL;
    }
    const size_t cells = (size_t)p->rows * p->columns, lines = (size_t)p->rows + p->columns;
    const size_t words = words_of_side(p);
    const size_t remembered = cells * p->line_words * sizeof(word);
    state *s = &x->s;
    s->puzzle = p;
    p->users++;
    s->filled = calloc(words, sizeof(word));
    s->empty = calloc(words, sizeof(word));
    s->queue = calloc((p->rows + 63) / 64 + (p->columns + 63) / 64, sizeof(word));
    s->touched = calloc(p->line_words, sizeof(word));
    /* Each cell is on the trail at most once: it is settled while open, and taken back before it is open again. */
    s->trail = malloc(cells * sizeof *s->trail);
    s->scratch = malloc(p->scratch * sizeof(word));
    x->own = calloc(p->rows, sizeof *x->own);
    x->decisions = malloc((cells + 1) * sizeof *x->decisions);
    x->part = malloc(p->rows * sizeof *x->part);
    x->order = malloc(cells * sizeof *x->order);
    x->row_major = malloc(cells * sizeof *x->row_major);
    x->count = malloc(2 * (lines + 1) * sizeof *x->count);
    x->changed = calloc(lines, sizeof *x->changed);
    x->probed = calloc(cells, sizeof *x->probed);
    x->gains = calloc(2 * cells, sizeof *x->gains);
    x->conflicts = calloc(cells, sizeof *x->conflicts);
    x->settler = calloc(cells, sizeof *x->settler);
    /* Optional: without it, all probes are repeated after any change. */
    if (remembered <= MAX_MEMORY) x->rests = malloc(remembered);
    x->assumed = -1;
    x->clock = 1; /* a cell that was never probed has `probed` 0, which is before it */
    x->nodes = 1;
    if (s->filled && s->empty && s->queue && s->touched && s->trail && s->scratch && x->own && x->decisions && x->part &&
        x->order && x->row_major && x->count && x->changed && x->probed && x->gains && x->conflicts && x->settler)
        return x;
    crosslit_free(x);
    return NULL;
}

/* A search of a whole puzzle; NULL without memory.
 *
 * Args: how many blocks each line has, rows before columns; the lengths of all blocks. Every clue fits its line. */
API search *crosslit_new(int32_t rows, int32_t columns, const int32_t *counts, const int32_t *blocks) {
    puzzle *p = make_puzzle(rows, columns, counts, blocks);
    if (!p) return NULL;
    search *x = allocate(p);
    if (!x) return NULL;
    memset(x->own, true, p->rows);
    x->open = (int64_t)p->rows * p->columns;
    for (int32_t i = 0; i < p->rows || i < p->columns; i++)
        /* Cells of a diagonal that goes on along an edge: together they queue every row and every column. */
        requeue(&x->s, (i < p->rows ? i : 0) * (uint32_t)p->columns + (i < p->columns ? i : 0));
    return x;
}

/* A search of one part of what is open in another one, beginning with what is settled there; NULL without memory. */
API search *crosslit_new_part(const search *whole, const int32_t *part, int32_t number) {
    puzzle *p = whole->s.puzzle;
    search *x = allocate(p);
    if (!x) return NULL;
    memcpy(x->s.filled, whole->s.filled, sizeof(word) * words_of_side(p));
    memcpy(x->s.empty, whole->s.empty, sizeof(word) * words_of_side(p));
    /* What was learned about cells holds in the part too, and guides its guesses. */
    memcpy(x->conflicts, whole->conflicts, sizeof *x->conflicts * p->rows * p->columns);
    /* More than 1 shows that there was a guess; then a probe that leaves nothing open may yield its solution. */
    x->nodes = whole->nodes;
    for (int32_t row = 0; row < p->rows; row++) {
        x->own[row] = part[row] == number;
        for (int i = 0; i < p->words[0] && x->own[row]; i++) x->open += __builtin_popcountll(open_cells(&x->s, row, i));
    }
    return x;
}

/* What the last call did. */
API const int64_t *crosslit_counts(const search *x) { return x->counts; }

/* The filled cells of the own rows, as far as they are settled, packed like a solution. */
API void crosslit_settled(const search *x, uint8_t *to) { write_solution(x, to); }

/* The part of each row, and how many parts there are; see `find_parts`. */
API int32_t crosslit_parts(const search *x, int32_t *part) { return find_parts(x, part); }

API int64_t crosslit_decided(const search *x) { return x->decided; }

/* The `crosslit_decided` guesses under way, and what was searched under each: the cell, its value, whether it is a guess. */
API void crosslit_decisions(const search *x, int32_t *to) {
    for (int64_t i = 0; i < x->decided; i++) {
        *to++ = x->decisions[i].cell;
        *to++ = x->decisions[i].value;
        *to++ = x->decisions[i].is_guess;
    }
}

/* Solve many states of one line, each in place, and tell of each whether the blocks fit; false without memory. A side of
 * a state has (length + 2 + 63) / 64 words. For tests and benchmarks of the line solver. */
API bool crosslit_solve_lines(int32_t length, int32_t blocks, const int32_t *block, int64_t states, word *filled,
                              word *empty, bool *fit) {
    const int words = (length + 2 + 63) / 64;
    int32_t *numbers = malloc(sizeof *numbers * (2 * blocks + 1));
    word *scratch = malloc(sizeof *scratch * words * (3 * (size_t)blocks + 1));
    const bool has_memory = numbers && scratch;
    if (has_memory) {
        const clue c = make_clue(block, blocks, numbers);
        for (int64_t i = 0; i < states; i++)
            fit[i] = solve_line(&c, length, words, filled + i * words, empty + i * words, scratch);
    }
    free(numbers);
    free(scratch);
    return has_memory;
}
