/* The compiled solver of nonograms: one line, what is possible in all lines, probes, the search.
 *
 * The same method as line.py in Python, which the tests compare it with. For each line and each colour a bit set has the
 * cells that can have the colour; colour 0 is the background. Bit p is cell p, and also the boundary in front of it.
 *
 * Where line solving leaves cells open, each possible colour of each is probed: a contradiction excludes the colour, and
 * what all colours of the cell exclude is excluded too. A probe is repeated only after a change in a line that it touched.
 * Where a round of probes excludes nothing, the search branches. There is no global state, and all memory but that of the
 * memo is allocated before a search begins, so that nothing fails in the middle of one. */
#include "nonogram.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define MAX_REMEMBERED ((size_t)1 << 28) /* bytes of what probes remember of the lines they touched; else all are repeated */
#define MAX_MEMO ((size_t)1 << 18)       /* words of the memo of solved lines, 2 MB */

enum status { EXHAUSTED, FULL, SPENT, STILL };

/* What one call did: lines solved, probes, guesses and solutions found by probes, backtracks, the most guesses at once,
 * solutions, work; and how many cells are open where only a guess could continue. */
enum { LINES, PROBES, NODES, BACKTRACKS, DEPTH, FOUND, WORK, OPEN, COUNTS };

typedef struct {
    uint32_t cell, colour; /* row * columns + column */
    bool is_guess;         /* else all solutions with this colour of the cell have been found, given the guesses before */
    int64_t removed;       /* how much had been removed before the guess */
} decision;

typedef struct {
    int32_t row, column;
    uint32_t colour;
} removal;

struct search {
    int32_t rows, columns, states;
    int32_t width;       /* bits of a cell in a solution */
    int32_t words[2];    /* of a colour of a row, of a column: with a bit for the boundary behind the last cell */
    int32_t line_words;  /* of a set of lines, rows before columns */
    size_t first_column; /* words of all rows: where the columns begin in `can` */
    clue *clues;
    int32_t *numbers;    /* the memory of all clues */
    /* what is possible */
    word *can;           /* for each line and each colour its cells, rows before columns */
    uint32_t *mask;      /* for each cell its colours */
    removal *trail;      /* what was removed, in order */
    int64_t removed;     /* how much that is */
    int64_t open;        /* cells with several colours */
    word *queue;         /* lines to solve: a set of rows, then a set of columns */
    int axis;            /* whose lines are solved now: 0 rows, 1 columns */
    word *touched;       /* lines solved since it was last cleared */
    word *scratch;       /* the new colours of a line, then what solve_line needs */
    word *memo;          /* for each line of one word 2^memo_bits times what was possible, and is; NULL until there are probes */
    size_t *memo_of;     /* where that of a line begins, in words for memo_bits = 0 */
    int memo_bits;
    int64_t misses;      /* since the memo has this size */
    /* the search */
    bool is_done;
    decision *decisions;
    int64_t decided, guessed; /* decisions, and how many of them are guesses */
    int64_t nodes;            /* guesses and solutions found by probes so far, and 1 for the root */
    int64_t assumed;          /* the cell whose colour is propagated, -1 if none is */
    /* probes */
    uint32_t *order;          /* the cells of a round */
    int64_t ordered, next;    /* how many these are; the next one to probe */
    int64_t round;            /* how much was removed when the round began */
    uint32_t *count;          /* what sorting them counts */
    int64_t clock, stamped;   /* changes so far; how much of the trail is in `changed` */
    int64_t *changed;         /* for each line, when one of its cells last changed */
    int64_t *probed;          /* for each cell, when it was last probed without a contradiction; 0 if never */
    word *rests;              /* for each cell, the lines that its probes touched; NULL if that is too much to keep */
    int64_t *seen, rounds;    /* for each cell and colour, the last probe that removed it; how many cells were probed */
    removal *agreed;          /* what all probes of a cell so far removed */
    float *score;             /* for each cell, how much its probes remove */
    uint8_t *best;            /* for each cell, the colour that removes most */
    uint32_t *conflicts;      /* for each cell, how often a colour of it led to a contradiction */
    int64_t lines, work;
    int64_t counts[COUNTS];
};

/* ---- one line ---- */

INLINE void up(word *to, const word *from, int by, int words) {
    int whole = by >> 6, part = by & 63;
    for (int i = words - 1; i >= 0; i--) {
        word high = i >= whole ? from[i - whole] : 0, low = i > whole ? from[i - whole - 1] : 0;
        to[i] = part ? high << part | low >> (64 - part) : high;
    }
}

INLINE void down(word *to, const word *from, int by, int words) {
    int whole = by >> 6, part = by & 63;
    for (int i = 0; i < words; i++) {
        word low = i + whole < words ? from[i + whole] : 0, high = i + whole + 1 < words ? from[i + whole + 1] : 0;
        to[i] = part ? low >> part | high << (64 - part) : low;
    }
}

/* The boundaries reached from some over cells that can be empty, rightwards: the carry of an addition sweeps a run. */
INLINE void reach_up(word *to, const word *seeds, const word *clear, int words) {
    word carry = 0, across = 0;
    for (int i = 0; i < words; i++) {
        word start = seeds[i] & clear[i], sum = clear[i] + start, more = sum < clear[i];
        word total = sum + carry, swept;
        carry = more | (total < sum);
        swept = ((total ^ clear[i]) | start) & clear[i];
        to[i] = seeds[i] | swept << 1 | across;
        across = swept >> 63;
    }
}

/* The same leftwards: a fill by doubling steps within a word, from the last word to the first. */
INLINE void reach_down(word *to, const word *seeds, const word *clear, int words) {
    word above = 0; /* the lowest boundary of the word above */
    for (int i = words - 1; i >= 0; i--) {
        word run = clear[i], fill = (seeds[i] >> 1 | above << 63) & run;
        fill |= run & fill >> 1, run &= run >> 1;
        fill |= run & fill >> 2, run &= run >> 2;
        fill |= run & fill >> 4, run &= run >> 4;
        fill |= run & fill >> 8, run &= run >> 8;
        fill |= run & fill >> 16, run &= run >> 16;
        fill |= run & fill >> 32;
        to[i] = seeds[i] | fill;
        above = to[i] & 1;
    }
}

/* The boundaries where block j can begin, from those where the gap before it can end. */
INLINE void begin(word *to, const clue *c, int j, const word *gap, const word *clear, int words) {
    if (j && c->colour[j] == c->colour[j - 1]) {
        for (int i = 0; i < words; i++) to[i] = gap[i] & clear[i];
        up(to, to, 1, words);
    } else
        memcpy(to, gap, sizeof(word) * words);
}

/* The cells that each colour can have in some arrangement, to `can`; false if there is none. */
INLINE bool solve_colours(const clue *c, int length, int words, const word *was, word *can, word *scratch) {
    word *gaps = scratch, *starts = gaps + (size_t)(c->blocks + 1) * words;
    const word *clear = was;
    word cells[words], more[words], reached[words];

    for (int k = 0, covered = 1; k < c->starts; k++) {
        if (!k || c->start_colour[k] != c->start_colour[k - 1]) {
            memcpy(cells, was + c->start_colour[k] * words, sizeof cells);
            covered = 1;
        }
        for (int by; covered < c->start_length[k]; covered += by) {
            by = c->start_length[k] - covered < covered ? c->start_length[k] - covered : covered;
            down(more, cells, by, words);
            for (int i = 0; i < words; i++) cells[i] &= more[i];
        }
        memcpy(starts + k * words, cells, sizeof cells);
    }

    memset(cells, 0, sizeof cells);
    cells[0] = 1;
    reach_up(gaps, cells, clear, words);
    for (int j = 0; j < c->blocks; j++) {
        begin(cells, c, j, gaps + j * words, clear, words);
        for (int i = 0; i < words; i++) cells[i] &= starts[c->kind[j] * words + i];
        up(more, cells, c->length[j], words);
        reach_up(gaps + (j + 1) * words, more, clear, words);
    }
    if (!(gaps[c->blocks * words + (length >> 6)] >> (length & 63) & 1)) return false;

    for (int k = 0; k < c->colours; k++) memset(can + c->own[k] * words, 0, sizeof cells);
    memset(cells, 0, sizeof cells);
    cells[length >> 6] = (word)1 << (length & 63);
    for (int j = c->blocks;; j--) {
        const word *gap = gaps + j * words;
        reach_down(reached, cells, clear, words);
        down(more, reached, 1, words);
        for (int i = 0; i < words; i++) can[i] |= clear[i] & gap[i] & more[i];
        if (!j) return true;
        const int size = c->length[j - 1];
        if (j < c->blocks && c->colour[j] == c->colour[j - 1])
            for (int i = 0; i < words; i++) reached[i] = more[i] & clear[i];
        begin(cells, c, j - 1, gap - words, clear, words);
        down(more, reached, size, words);
        for (int i = 0; i < words; i++) cells[i] &= starts[c->kind[j - 1] * words + i] & more[i];
        word body[words];
        memcpy(body, cells, sizeof cells);
        for (int have = 1, by; have < size; have += by) {
            by = size - have < have ? size - have : have;
            up(more, body, by, words);
            for (int i = 0; i < words; i++) body[i] |= more[i];
        }
        for (int i = 0; i < words; i++) can[c->colour[j - 1] * words + i] |= body[i];
    }
}

static bool solve_line(const clue *c, int length, int words, const word *was, word *can, word *scratch) {
    switch (words) { /* with a known number of words their loops vanish */
    case 1: return solve_colours(c, length, 1, was, can, scratch);
    case 2: return solve_colours(c, length, 2, was, can, scratch);
    case 3: return solve_colours(c, length, 3, was, can, scratch);
    case 4: return solve_colours(c, length, 4, was, can, scratch);
    default: return solve_colours(c, length, words, was, can, scratch);
    }
}

/* ---- all lines ---- */

static word *line_of(search *x, int axis, int32_t number) {
    return x->can + (axis ? x->first_column : 0) + (size_t)number * x->states * x->words[axis];
}

static word *queue_of(search *x, int axis) { return x->queue + (axis ? (x->rows + 63) >> 6 : 0); }

static void enqueue(search *x, int axis, int32_t number) {
    queue_of(x, axis)[number >> 6] |= (word)1 << (number & 63);
}

static int queue_words(const search *x) { return ((x->rows + 63) >> 6) + ((x->columns + 63) >> 6); }

static bool has_line(const search *x) {
    for (int i = 0; i < queue_words(x); i++)
        if (x->queue[i]) return true;
    return false;
}

/* Remove a colour of a cell, or give it back; not in its line along one axis, for which the caller does that. */
INLINE void change(search *x, int32_t row, int32_t column, uint32_t colour, bool back, int but_along) {
    uint32_t *mask = x->mask + (size_t)row * x->columns + column;
    const uint32_t before = *mask, after = before ^ (uint32_t)1 << colour;
    if (but_along != 0) line_of(x, 0, row)[colour * x->words[0] + (column >> 6)] ^= (word)1 << (column & 63);
    if (but_along != 1) line_of(x, 1, column)[colour * x->words[1] + (row >> 6)] ^= (word)1 << (row & 63);
    *mask = after;
    if (back)
        x->open += before && !(before & (before - 1));
    else
        x->open -= after && !(after & (after - 1));
}

static void take(search *x, uint32_t cell, uint32_t colour) {
    change(x, cell / x->columns, cell % x->columns, colour, false, -1);
    enqueue(x, 0, cell / x->columns), enqueue(x, 1, cell % x->columns);
    x->trail[x->removed++] = (removal){cell / x->columns, cell % x->columns, colour};
}

static void take_others(search *x, uint32_t cell, uint32_t colour) {
    for (uint32_t left = x->mask[cell] & ~((uint32_t)1 << colour); left; left &= left - 1)
        take(x, cell, __builtin_ctz(left));
}

static void give_back(search *x, int64_t removed) {
    while (x->removed > removed) {
        const removal last = x->trail[--x->removed];
        change(x, last.row, last.column, last.colour, true, -1);
    }
}

/* Begin with a small memo, and let it grow with the search: new pages of memory cost an easy puzzle more than they save. It
 * is optional: without memory it stays as it is. */
static void enlarge_memo(search *x) {
    const int bits = x->memo ? x->memo_bits + 2 : 5;
    const size_t words = x->memo_of[x->rows + x->columns] << bits;
    word *memo = words <= MAX_MEMO ? calloc(words, sizeof *memo) : NULL;
    x->misses = 0;
    if (!memo) return;
    free(x->memo);
    x->memo = memo, x->memo_bits = bits;
}

/* Solve a line, or recall it if it has one word: probes and guesses meet the same few states again and again. */
INLINE bool solve_or_recall(search *x, int32_t line, int length, int words, int colours, const word *was, word *can) {
    const clue *c = &x->clues[line];
    word *m = NULL, key = 0, all = 0;
    x->work += 20; /* counted from the size of the line, not measured, so that a run can be repeated exactly */
    if (words == 1 && x->memo) {
        bool is_same = true;
        if (x->misses >> x->memo_bits > 4 * ((int64_t)x->rows + x->columns)) enlarge_memo(x);
        for (int k = 0; k < colours; k++) key = (key ^ was[c->own[k]]) * 0x9e3779b97f4a7c15;
        key = (key ^ key >> 29) * 0xff51afd7ed558ccd >> (64 - x->memo_bits);
        m = x->memo + (x->memo_of[line] << x->memo_bits) + 2 * colours * key;
        for (int k = 0; k < colours; k++) is_same &= m[k] == was[c->own[k]];
        if (is_same) {
            for (int k = 0; k < colours; k++) all |= can[c->own[k]] = m[colours + k];
            return all; /* nothing is possible if the blocks do not fit */
        }
        x->misses++;
    }
    x->work += (int64_t)words * (20 + 20 * c->blocks);
    const bool fits = solve_line(c, length, words, was, can, can + x->states * words);
    for (int k = 0; m && k < colours; k++) m[k] = was[c->own[k]], m[colours + k] = fits ? can[c->own[k]] : 0;
    return fits;
}

/* Solve a line of a number of words and colours, and exclude what is impossible in the lines that cross it. */
INLINE bool solve_next(search *x, int32_t number, int words, int colours) {
    const int axis = x->axis;
    const int32_t line = axis ? x->rows + number : number;
    const uint8_t *own = x->clues[line].own;
    word *was = line_of(x, axis, number), *can = x->scratch, *queue = queue_of(x, !axis);
    x->touched[line >> 6] |= (word)1 << (line & 63);
    x->lines++;
    if (!solve_or_recall(x, line, axis ? x->rows : x->columns, words, colours, was, can)) return false;
    for (int k = 0; k < colours; k++)
        for (int i = 0; i < words; i++) {
            word *left = was + own[k] * words + i, gone = *left & ~can[own[k] * words + i];
            if (!gone) continue; /* the last word of a line may be behind that of the queue */
            *left ^= gone, queue[i] |= gone;
            for (; gone; gone &= gone - 1) {
                const int32_t across = i * 64 + __builtin_ctzll(gone);
                const int32_t row = axis ? across : number, column = axis ? number : across;
                change(x, row, column, own[k], false, axis);
                x->trail[x->removed++] = (removal){row, column, own[k]};
            }
        }
    return true;
}

static bool solve_queue(search *x, int64_t until) {
    while (x->work < until) {
        int32_t number = -1;
        /* The axis changes only when its queue is empty: a line then meets the changes of many lines at once. */
        for (int turn = 0; turn < 2 && number < 0; turn++, x->axis ^= number < 0) {
            word *queue = queue_of(x, x->axis);
            for (int i = 0, n = ((x->axis ? x->columns : x->rows) + 63) >> 6; i < n && number < 0; i++)
                if (queue[i]) {
                    number = i * 64 + __builtin_ctzll(queue[i]);
                    queue[i] &= queue[i] - 1;
                }
        }
        if (number < 0) return true;
        const int words = x->words[x->axis], colours = x->clues[x->axis ? x->rows + number : number].colours;
        /* With known numbers, their loops vanish where most lines are: of one word and one colour. */
        if (!(words == 1 && colours == 2 ? solve_next(x, number, 1, 2) : solve_next(x, number, words, colours))) {
            memset(x->queue, 0, sizeof(word) * queue_words(x));
            return false;
        }
    }
    return true;
}

/* ---- the search ---- */

static void stamp(search *x, int64_t from) {
    if (from < x->removed) x->clock++;
    for (int64_t i = from; i < x->removed; i++) {
        x->changed[x->trail[i].row] = x->changed[x->rows + x->trail[i].column] = x->clock;
    }
    x->stamped = x->removed;
}

/* Exclude a colour of a cell with which everything has been found. */
static void exclude(search *x, uint32_t cell, uint32_t colour) {
    x->decisions[x->decided++] = (decision){cell, colour, false, 0};
    take(x, cell, colour);
}

/* Take the last guess back, and exclude its colour; false if there is none left. */
static bool retreat(search *x) {
    while (x->decided && !x->decisions[x->decided - 1].is_guess) x->decided--;
    if (!x->decided) return false;
    const decision last = x->decisions[--x->decided];
    x->guessed--;
    x->counts[BACKTRACKS]++;
    stamp(x, last.removed < x->stamped ? last.removed : x->stamped);
    give_back(x, last.removed);
    x->stamped = x->removed;
    x->ordered = x->next = 0;
    x->assumed = last.cell;
    exclude(x, last.cell, last.colour);
    return true;
}

static void write_solution(const search *x, uint8_t *to) {
    memset(to, 0, ((size_t)x->rows * x->columns * x->width + 7) / 8);
    for (size_t cell = 0, at = 0; cell < (size_t)x->rows * x->columns; cell++)
        for (int i = 0, colour = __builtin_ctz(x->mask[cell]); i < x->width; i++, at++)
            to[at >> 3] |= (colour >> i & 1) << (at & 7);
}

/* Whether the probes of a cell would give again what they gave. */
static bool is_unchanged(const search *x, uint32_t cell) {
    const int64_t when = x->probed[cell];
    if (when == x->clock) return true;
    if (!when || !x->rests) return false;
    const word *lines = x->rests + (size_t)cell * x->line_words;
    for (int i = 0; i < x->line_words; i++)
        for (word left = lines[i]; left; left &= left - 1)
            if (x->changed[i * 64 + __builtin_ctzll(left)] > when) return false;
    return true;
}

/* Probe every colour of an open cell, and settle what follows; whether a solution was written, of a probe after the
 * first guess that leaves no cell open. */
static bool probe(search *x, uint32_t cell, uint8_t *solution) {
    const int64_t before = x->removed, base = ++x->rounds * (MAX_STATES + 1);
    float inverse = 0;
    int64_t most = -1, agreed = 0;
    int tried = 0;
    memset(x->touched, 0, sizeof(word) * x->line_words);
    x->probed[cell] = 0;
    for (uint32_t left = x->mask[cell]; left; left &= left - 1) {
        const uint32_t colour = __builtin_ctz(left);
        x->counts[PROBES]++;
        take_others(x, cell, colour);
        if (!solve_queue(x, INT64_MAX)) {
            x->conflicts[cell]++;
            give_back(x, before);
            x->assumed = -1;
            take(x, cell, colour);
            return false;
        }
        if (!x->open && x->nodes > 1) {
            write_solution(x, solution);
            x->nodes++, x->counts[NODES]++;
            give_back(x, before);
            x->assumed = -1;
            exclude(x, cell, colour);
            return true;
        }
        const int64_t gain = x->removed - before;
        inverse += 1.0f / gain;
        if (gain > most) most = gain, x->best[cell] = colour;
        agreed = 0;
        for (int64_t i = before; i < x->removed; i++) {
            const removal gone = x->trail[i];
            int64_t *seen = &x->seen[((size_t)gone.row * x->columns + gone.column) * x->states + gone.colour];
            if (tried && *seen != base + tried) continue; /* an earlier probe of this cell did not remove it */
            *seen = base + tried + 1; /* above all numbers of other cells' probes, so that nothing is ever cleared */
            x->agreed[agreed++] = gone;
        }
        tried++;
        give_back(x, before);
    }
    x->score[cell] = 1 / inverse;
    for (int64_t i = 0; i < agreed; i++) take(x, x->agreed[i].row * x->columns + x->agreed[i].column, x->agreed[i].colour);
    x->assumed = -1;
    x->probed[cell] = x->clock;
    if (x->rests) memcpy(x->rests + (size_t)cell * x->line_words, x->touched, sizeof(word) * x->line_words);
    return false;
}

/* Sort the open cells for a round of probes: those whose lines have the fewest of them first. */
static void order_open(search *x) {
    const size_t cells = (size_t)x->rows * x->columns, keys = (size_t)x->rows + x->columns + 1;
    uint32_t *in_row = x->count, *in_column = in_row + x->rows, *place = in_column + x->columns;
    if (!x->memo) enlarge_memo(x); /* before there are probes few lines return */
    memset(x->count, 0, sizeof(uint32_t) * 2 * keys);
    for (uint32_t cell = 0; cell < cells; cell++)
        if (x->mask[cell] & (x->mask[cell] - 1)) in_row[cell / x->columns]++, in_column[cell % x->columns]++;
#define KEY(cell) (in_row[(cell) / x->columns] + in_column[(cell) % x->columns])
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t cell = 0; cell < cells; cell++) {
            if (!(x->mask[cell] & (x->mask[cell] - 1))) continue;
            if (pass)
                x->order[place[KEY(cell)]++] = cell;
            else
                place[KEY(cell) + 1]++;
        }
        for (size_t key = 1; key <= keys && !pass; key++) place[key] += place[key - 1];
    }
#undef KEY
    x->ordered = x->open, x->next = 0, x->round = x->removed;
    x->work += cells;
}

/* Branch on the open cell of which all colours settle much, and of which many have failed so far. */
static void guess(search *x) {
    double best = -1;
    uint32_t choice = 0;
    for (int64_t i = 0; i < x->ordered; i++) {
        const uint32_t cell = x->order[i];
        const double score = x->score[cell] * (1.0 + x->conflicts[cell]);
        if (score > best) best = score, choice = cell;
    }
    x->decisions[x->decided++] = (decision){choice, x->best[choice], true, x->removed};
    x->guessed++, x->nodes++, x->counts[NODES]++;
    if (x->guessed > x->counts[DEPTH]) x->counts[DEPTH] = x->guessed;
    x->ordered = x->next = 0;
    x->assumed = choice;
    take_others(x, choice, x->best[choice]);
}

/* Go on with a search.
 *
 * Args: budget, how much work to do before it stops, about a nanosecond each; may_guess, whether to branch; solutions, room
 * for `capacity` of them.
 *
 * Returns: EXHAUSTED if there are no more solutions; FULL if there is no more room; SPENT if the work is done; STILL if only
 * a guess would go on. */
API int crosslit_run(search *x, int64_t budget, bool may_guess, uint8_t *solutions, int64_t capacity) {
    const size_t size = ((size_t)x->rows * x->columns * x->width + 7) / 8;
    const int64_t until = x->work + budget, lines = x->lines;
    int64_t *found = &x->counts[FOUND];
    memset(x->counts, 0, sizeof x->counts);
    while (!x->is_done) {
        uint8_t *solution = solutions + *found * size;
        if (*found == capacity) return FULL;
        if (x->work >= until) return SPENT;
        if (has_line(x)) {
            if (!solve_queue(x, until)) {
                if (x->assumed >= 0) x->conflicts[x->assumed]++;
                x->is_done = !retreat(x);
            }
        } else if (!x->open) {
            write_solution(x, solution);
            ++*found;
            x->is_done = !retreat(x);
        } else if (x->next < x->ordered) {
            const uint32_t cell = x->order[x->next++];
            stamp(x, x->stamped);
            x->work += 8;
            if (x->mask[cell] & (x->mask[cell] - 1) && !is_unchanged(x, cell) && probe(x, cell, solution)) ++*found;
        } else if (x->ordered && x->removed == x->round) {
            if (!may_guess) return x->counts[OPEN] = x->open, STILL;
            guess(x);
        } else
            order_open(x);
        x->counts[LINES] = x->lines - lines, x->counts[WORK] = x->work + budget - until;
    }
    return EXHAUSTED;
}

/* Write the possible colours of each cell before the first guess, as bits; false on a contradiction. */
API bool crosslit_root(search *x, uint32_t *masks) {
    int64_t first = 0;
    /* Work may have ended while lines were solved; a guess is only made when all stand still. */
    if (x->is_done || (!x->guessed && !solve_queue(x, INT64_MAX))) {
        x->is_done = true;
        return false;
    }
    memcpy(masks, x->mask, sizeof *masks * x->rows * x->columns);
    while (first < x->decided && !x->decisions[first].is_guess) first++;
    for (int64_t i = first < x->decided ? x->decisions[first].removed : x->removed; i < x->removed; i++)
        masks[(size_t)x->trail[i].row * x->columns + x->trail[i].column] |= (uint32_t)1 << x->trail[i].colour;
    return true;
}

/* Encode the cells that can have these colours; see `encode`. */
API bool crosslit_encode(const search *x, const uint32_t *masks, int32_t *literals, int64_t *ends, int64_t *sizes) {
    return encode(x->rows, x->columns, x->states, x->clues, masks, literals, ends, sizes);
}

API int64_t crosslit_decided(const search *x) { return x->decided; }

/* The guesses under way, and what was searched under each: the cell, its colour, whether it is a guess. */
API void crosslit_decisions(const search *x, int32_t *to) {
    for (int64_t i = 0; i < x->decided; i++) {
        *to++ = x->decisions[i].cell;
        *to++ = x->decisions[i].colour;
        *to++ = x->decisions[i].is_guess;
    }
}

/* What the last call did. */
API const int64_t *crosslit_counts(const search *x) { return x->counts; }

/* ---- memory ---- */

API void crosslit_free(search *x) {
    if (!x) return;
    void *all[] = {x->clues, x->numbers, x->can, x->mask, x->trail, x->queue, x->touched, x->scratch, x->decisions,
                   x->order, x->count, x->changed, x->probed, x->seen, x->rests, x->conflicts, x->agreed, x->score,
                   x->best, x->memo, x->memo_of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(x);
}

/* The clue of some blocks, with room for 5 * blocks numbers. */
static clue make_clue(const int32_t *given, bool is_coloured, int32_t blocks, int32_t *room) {
    clue c = {blocks, 0, 1, room, room + blocks, room + 2 * blocks, room + 3 * blocks, room + 4 * blocks, 1, {0}};
    for (int32_t i = 0; i < blocks; i++) {
        const int32_t length = *given++, colour = is_coloured ? *given++ : 1;
        int32_t k = c.starts;
        c.length[i] = length, c.colour[i] = colour;
        if (!(c.used >> colour & 1)) c.own[c.colours++] = colour;
        c.used |= (uint32_t)1 << colour;
        /* insertion sort by colour and length, without repetitions */
        while (k && (c.start_colour[k - 1] > colour || (c.start_colour[k - 1] == colour && c.start_length[k - 1] >= length)))
            k--;
        if (k < c.starts && c.start_colour[k] == colour && c.start_length[k] == length) continue;
        memmove(c.start_colour + k + 1, c.start_colour + k, sizeof(int32_t) * (c.starts - k));
        memmove(c.start_length + k + 1, c.start_length + k, sizeof(int32_t) * (c.starts - k));
        c.start_colour[k] = colour, c.start_length[k] = length;
        c.starts++;
    }
    for (int32_t i = 0; i < blocks; i++)
        while (c.start_colour[c.kind[i]] != c.colour[i] || c.start_length[c.kind[i]] != c.length[i]) c.kind[i]++;
    return c;
}

/* A search of a puzzle; NULL without memory.
 *
 * Args: how many states a cell has; how many blocks each line has, rows before columns; the length of each block, and of
 * several colours its colour, from 1. */
API search *crosslit_new(int32_t rows, int32_t columns, int32_t states, bool is_coloured, const int32_t *counts,
                         const int32_t *blocks) {
    search *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    const size_t cells = (size_t)rows * columns, lines = (size_t)rows + columns;
    size_t all = 0, most = 0;
    for (size_t i = 0; i < lines; i++) all += counts[i], most = (size_t)counts[i] > most ? (size_t)counts[i] : most;
    x->rows = rows, x->columns = columns, x->states = states;
    while (1 << x->width < states) x->width++;
    x->words[0] = (columns + 1 + 63) / 64, x->words[1] = (rows + 1 + 63) / 64;
    x->line_words = (lines + 63) / 64;
    x->first_column = (size_t)rows * states * x->words[0];
    const size_t longest = x->words[0] > x->words[1] ? x->words[0] : x->words[1];
    const size_t remembered = cells * x->line_words * sizeof(word);
    bool has_memory = true;
#define ALLOCATE(part, how_many) has_memory &= !!(x->part = calloc(how_many, sizeof *x->part))
    ALLOCATE(clues, lines), ALLOCATE(numbers, 5 * all + 1), ALLOCATE(memo_of, lines + 1);
    ALLOCATE(can, x->first_column + (size_t)columns * states * x->words[1]), ALLOCATE(mask, cells);
    ALLOCATE(trail, cells * states), ALLOCATE(agreed, cells * states), ALLOCATE(decisions, cells * states + 1);
    ALLOCATE(queue, queue_words(x)), ALLOCATE(touched, x->line_words), ALLOCATE(scratch, longest * (2 * most + 1 + states));
    ALLOCATE(order, cells), ALLOCATE(count, 2 * (lines + 1)), ALLOCATE(changed, lines), ALLOCATE(probed, cells);
    ALLOCATE(seen, cells * states), ALLOCATE(conflicts, cells), ALLOCATE(score, cells), ALLOCATE(best, cells);
#undef ALLOCATE
    if (remembered <= MAX_REMEMBERED) x->rests = malloc(remembered);
    if (!has_memory) {
        crosslit_free(x);
        return NULL;
    }
    int32_t *room = x->numbers;
    for (size_t i = 0; i < lines; i++) {
        x->clues[i] = make_clue(blocks, is_coloured, counts[i], room);
        x->memo_of[i + 1] = x->memo_of[i] + (x->words[i >= (size_t)rows] == 1 ? 2 * x->clues[i].colours : 0);
        blocks += counts[i] << is_coloured, room += 5 * counts[i];
        enqueue(x, i >= (size_t)rows, i >= (size_t)rows ? i - rows : i);
    }
    for (int32_t row = 0; row < rows; row++)
        for (int32_t column = 0; column < columns; column++) {
            /* A cell can have the colours of both of its lines. */
            const uint32_t mask = x->clues[row].used & x->clues[rows + column].used;
            x->mask[(size_t)row * columns + column] = mask;
            x->open += !!(mask & (mask - 1));
            for (uint32_t left = mask; left; left &= left - 1) {
                const uint32_t colour = __builtin_ctz(left);
                line_of(x, 0, row)[colour * x->words[0] + (column >> 6)] |= (word)1 << (column & 63);
                line_of(x, 1, column)[colour * x->words[1] + (row >> 6)] |= (word)1 << (row & 63);
            }
        }
    x->assumed = -1, x->clock = 1, x->nodes = 1;
    return x;
}
