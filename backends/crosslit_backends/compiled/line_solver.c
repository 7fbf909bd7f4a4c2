/* The complete line solver: what all arrangements of a line's blocks agree on.
 *
 * For gap j, the cells that can belong to it with the blocks before it somewhere on their left are a bit set: the starts
 * of block j are the cells next to gap j from which enough cells are not empty; behind them lie the first cells of gap
 * j + 1, and the gap grows from those over cells that are not filled. It grows by one addition, whose carry sweeps a run
 * (`sweep`). The same from the right, on the mirrored line, for a carry runs one way only. A cell in both sets, for any
 * j, is empty in some arrangement; a block that lies between such gaps is filled in some arrangement. All others are
 * settled. The docstring of line_solver.py names the sources.
 *
 * Every helper is inlined into `solve`, and `solve` into one copy for each number of words up to 4: with that number
 * known, the loops over words vanish, which makes lines of up to 62 cells four times as fast.
 */
#include "kernel.h"

INLINE void shift_up(word *to, const word *from, int by, int words) {
    int whole = by >> 6, part = by & 63;
    for (int i = words - 1; i >= 0; i--) {
        word high = i >= whole ? from[i - whole] : 0, low = i > whole ? from[i - whole - 1] : 0;
        to[i] = part ? high << part | low >> (64 - part) : high;
    }
}

INLINE void shift_down(word *to, const word *from, int by, int words) {
    int whole = by >> 6, part = by & 63;
    for (int i = 0; i < words; i++) {
        word low = i + whole < words ? from[i + whole] : 0, high = i + whole + 1 < words ? from[i + whole + 1] : 0;
        to[i] = part ? low >> part | high << (64 - part) : low;
    }
}

/* All cells of a run from its lowest seed up: the carry of the addition changes every bit that it passes, and the
 * seeds above the lowest, which the addition may leave unchanged, are put back. Seeds lie in runs. */
INLINE void sweep(word *to, const word *runs, const word *seeds, int words) {
    word carry = 0;
    for (int i = 0; i < words; i++) {
        /* At most one of the two additions carries: if the first does, its sum is below 2^64 - 1. */
        word sum = runs[i] + seeds[i], more = sum < runs[i];
        word total = sum + carry;
        carry = more | (total < sum);
        to[i] = ((total ^ runs[i]) | seeds[i]) & runs[i];
    }
}

INLINE word mirror_word(word x) {
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(x);
}

/* Bit p becomes bit 64 * words - 1 - p: the mirrored line ends at the top of its last word. */
INLINE void mirror(word *to, const word *from, int words) {
    for (int i = 0; i < words; i++) to[i] = mirror_word(from[words - 1 - i]);
}

INLINE bool solve(const clue *c, int length, int words, word *filled, word *empty, word *scratch) {
    const int width = length + 2, last = width - 1;
    word *left = scratch;                                   /* for each gap, the cells it can have from the left */
    word *starts = left + (size_t)(c->blocks + 1) * words;  /* for each length, the cells where it can start */
    word *mirrored = starts + (size_t)c->lengths * words;   /* likewise on the mirrored line */
    word clear[words], back[words], cells[words], seeds[words], gap[words];

    for (int i = 0; i < words; i++) {
        word every = i < last >> 6 ? ~(word)0 : i == last >> 6 ? ~(word)0 >> (63 - (last & 63)) : 0;
        clear[i] = every & ~filled[i];
        cells[i] = every & ~empty[i];
        seeds[i] = 0;
    }
    cells[0] &= ~(word)1;
    cells[last >> 6] &= ~((word)1 << (last & 63));

    /* From `cells`, the starts of one cell, to those of every length: what `covered` cells in a row give at two
     * places that far apart or less gives longer runs. */
    int covered = 1;
    for (int k = 0; k < c->lengths; k++) {
        while (covered < c->length[k]) {
            int by = c->length[k] - covered < covered ? c->length[k] - covered : covered;
            shift_down(gap, cells, by, words);
            for (int i = 0; i < words; i++) cells[i] &= gap[i];
            covered += by;
        }
        /* The lengths ascend, so the runs of one length are made from those of the length before. */
        for (int i = 0; i < words; i++) starts[k * words + i] = cells[i];
        /* A start becomes the last cell of its block; the block's start on the mirrored line is covered - 1 cells
         * before. */
        mirror(gap, cells, words);
        shift_down(mirrored + k * words, gap, covered - 1, words);
    }

    /* gap by gap from the left */
    seeds[0] = 1;
    sweep(left, clear, seeds, words);
    for (int j = 0; j < c->blocks; j++) {
        const word *from = left + j * words, *start = starts + c->kind[j] * words;
        shift_up(cells, from, 1, words);
        for (int i = 0; i < words; i++) cells[i] &= start[i];
        shift_up(seeds, cells, c->block[j], words);
        for (int i = 0; i < words; i++) seeds[i] &= clear[i];
        sweep(left + (j + 1) * words, clear, seeds, words);
    }
    if (!(left[c->blocks * words + (last >> 6)] >> (last & 63) & 1)) return false;

    /* gap by gap from the right, and at once what both directions have in common */
    word can_be_empty[words], can_be_filled[words], after[words], body[words];
    mirror(back, clear, words);
    for (int i = 0; i < words; i++) seeds[i] = can_be_filled[i] = 0;
    /* The mirrored line ends at the top of the last word, so its first cell is this bit. */
    seeds[(64 * words - width) >> 6] = (word)1 << ((64 * words - width) & 63);
    sweep(gap, back, seeds, words);
    mirror(after, gap, words);
    for (int i = 0; i < words; i++) can_be_empty[i] = left[c->blocks * words + i] & after[i];
    for (int j = c->blocks - 1; j >= 0; j--) {
        const word *before = left + j * words;
        const int block = c->block[j];
        shift_up(body, before, 1, words);
        shift_down(cells, after, block, words);
        for (int i = 0; i < words; i++) body[i] &= starts[c->kind[j] * words + i] & cells[i];
        for (int have = 1, by; have < block; have += by) { /* from starts to whole blocks */
            by = block - have < have ? block - have : have;
            shift_up(cells, body, by, words);
            for (int i = 0; i < words; i++) body[i] |= cells[i];
        }
        shift_up(cells, gap, 1, words);
        for (int i = 0; i < words; i++) cells[i] &= mirrored[c->kind[j] * words + i];
        shift_up(seeds, cells, block, words);
        for (int i = 0; i < words; i++) seeds[i] &= back[i];
        sweep(gap, back, seeds, words);
        mirror(after, gap, words);
        for (int i = 0; i < words; i++) {
            can_be_filled[i] |= body[i];
            can_be_empty[i] |= before[i] & after[i];
        }
    }
    for (int i = 0; i < words; i++) {
        word every = i < last >> 6 ? ~(word)0 : i == last >> 6 ? ~(word)0 >> (63 - (last & 63)) : 0;
        filled[i] = every & ~can_be_empty[i];
        empty[i] = every & ~can_be_filled[i];
    }
    empty[0] &= ~(word)1;
    empty[last >> 6] &= ~((word)1 << (last & 63));
    return true;
}

bool solve_line(const clue *c, int length, int words, word *filled, word *empty, word *scratch) {
    switch (words) {
    case 1: return solve(c, length, 1, filled, empty, scratch);
    case 2: return solve(c, length, 2, filled, empty, scratch);
    case 3: return solve(c, length, 3, filled, empty, scratch);
    case 4: return solve(c, length, 4, filled, empty, scratch);
    default: return solve(c, length, words, filled, empty, scratch);
    }
}
