/* The compiled nonogram solver: one line, what is known of all lines, and the search.
 *
 * The same method as lines.py and line_search.py, which the tests compare it with. There is no
 * global state: everything hangs on a puzzle and on the searches made of it. All memory is allocated before a search
 * begins, so that nothing fails in the middle of one.
 *
 * A line is a bit set of 64-bit words. Bit 0 and the bit behind the last cell stand for empty cells around the line, so
 * that every block lies between two gaps of at least one cell; cell c is bit c + 1.
 */
#ifndef CROSSLIT_KERNEL_H
#define CROSSLIT_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))

typedef uint64_t word;

typedef struct {
    int32_t blocks;
    int32_t lengths;        /* how many different lengths these blocks have */
    const int32_t *block;   /* the length of each block, in order */
    const int32_t *length;  /* the different lengths, ascending */
    const int32_t *kind;    /* for each block, the index of its length in them */
} clue;

/* A line of one word that was solved: what was known of it, and what solving it gave, all bits if its blocks do not fit. */
typedef struct {
    word filled, empty, new_filled, new_empty;
} memory;

typedef struct {
    int32_t rows, columns;
    int32_t words[2];    /* of a row, of a column */
    size_t first_column; /* words of all rows: where the columns begin in a side of a state */
    int32_t line_words;  /* of a set of lines, rows before columns */
    clue *clues;
    int32_t *numbers;    /* the memory of all clues */
    size_t scratch;      /* words that solve_line needs at most, the copy of the line included */
    memory *memo;        /* 2^memo_bits for each line, by their hashes; NULL until there are probes, or without memory */
    int memo_bits;
    int64_t misses;      /* since it has this size */
    int32_t users;       /* searches that use it: the last one frees it */
} puzzle;

/* What all arrangements of a line's blocks agree on, in place; false if the blocks do not fit what is known.
 * Scratch has (blocks + 1 + 2 * lengths) * words words. */
bool solve_line(const clue *c, int length, int words, word *filled, word *empty, word *scratch);

enum { FILLED = 1, EMPTY = 0 };

typedef struct {
    puzzle *puzzle;
    word *filled, *empty;  /* `words` of every line, rows before columns */
    word *queue;           /* lines to solve: a set of rows, then a set of columns */
    int axis;              /* whose lines are solved now: 0 rows, 1 columns */
    word *touched;         /* lines solved since it was last cleared */
    uint32_t *trail;       /* cells settled, in order; row * columns + column */
    int64_t settled;       /* how many these are */
    word *scratch;         /* both sides of a line, then what solve_line needs */
    int64_t lines;         /* how many lines were solved */
    int64_t work;          /* what that cost: about a nanosecond's share of it each */
} state;

void enlarge_memo(puzzle *p);
bool is_filled(const state *s, uint32_t cell);
bool is_open(const state *s, uint32_t cell);
word open_cells(const state *s, int32_t row, int index); /* one word of a row, in which bit c + 1 is cell c */
bool has_queue(const state *s);
void clear_queue(state *s);
void requeue(state *s, uint32_t cell);              /* its row and its column are to be solved */
void settle(state *s, uint32_t cell, bool value);   /* an open cell */
void undo(state *s, int64_t settled);               /* until so many cells are settled */
bool propagate(state *s, int64_t until);            /* solve the queue, until so much work is done; false: contradiction */

enum status { EXHAUSTED, FULL, SPENT, SPLIT, STILL };

/* Bytes of what probes remember of the lines they touched; beyond, every probe is repeated after any change. */
#define MAX_MEMORY ((size_t)1 << 28)

/* What one call did: lines solved, probes, guesses and solutions found by probes, backtracks, the most guesses at once,
 * solutions, work; and how many cells are open where only a guess could continue. */
enum { LINES, PROBES, NODES, BACKTRACKS, DEPTH, FOUND, WORK, OPEN, COUNTS };

typedef struct {
    uint32_t cell;
    bool value;       /* that holds here: of a guess, the one under way */
    bool is_guess;    /* else the other value has been searched, under the guesses before */
    int64_t settled;  /* of a guess, how much was settled before it */
} decision;

typedef struct {
    state s;
    int64_t open;            /* cells to settle in all, those settled since included */
    bool *own;               /* the rows to solve */
    bool is_done;
    atomic_bool is_halted;   /* set by another thread */
    decision *decisions;
    int64_t decided, guesses;
    int64_t nodes;           /* guesses and solutions found by probes so far, and 1 for the root */
    int64_t assumed;         /* the cell whose value is being propagated, -1 if none is */
    int32_t *part;           /* for every row; see find_parts */
    uint32_t *order;         /* the cells of a round of probes */
    uint32_t *row_major;     /* the same, unsorted */
    uint32_t *count;         /* open cells of each row and column; then what sorting counts */
    int64_t ordered, next;
    int64_t round;           /* how much was settled when the round began */
    int64_t clock, stamped;  /* changes so far; how much of the trail is in `changed` */
    int64_t *changed;        /* for every line, when one of its cells last changed */
    int64_t *probed;         /* for every cell, when it was last probed with success; 0 if never */
    word *rests;             /* for every cell, the lines that its probes touched; NULL if that is too much to keep */
    uint32_t *gains;         /* for every cell, how many cells each value settles, itself included */
    uint32_t *conflicts;     /* for every cell, how often a value of it led to a contradiction */
    int64_t *settler;        /* for every cell, the last pair of probes whose first settled it: 2 * pair + value */
    int64_t pairs;
    int64_t counts[COUNTS];
} search;

int32_t find_parts(const search *x, int32_t *part);

typedef struct {
    int32_t blocks;
    const int32_t *block, *colour; /* the length and the colour of each; NULL if all have colour 1 */
} blocks;

/* Encode the open cells of a puzzle with several colours: a variable for each colour that one can have, from 1 in row-major
 * order. Args: its size; the states of a cell; its clues; the possible colours of each cell, as bits; else as for
 * `crosslit_encode`. */
bool encode_colours(int32_t rows, int32_t columns, int32_t states, const blocks *clues, const uint32_t *masks,
                    int32_t *literals, int64_t *ends, int64_t *sizes);
void write_solution(const search *x, uint8_t *to);

#endif
