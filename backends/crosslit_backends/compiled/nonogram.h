/* What the search of nonograms and the encoder of their open cells share: the clue of a line. */
#ifndef CROSSLIT_NONOGRAM_H
#define CROSSLIT_NONOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))
#define MAX_STATES 32

typedef uint64_t word;
typedef struct search search;

typedef struct {
    int32_t blocks, starts, colours; /* blocks; different pairs of colour and length; colours, with the background */
    int32_t *length, *colour, *kind; /* of each block; the pair of each block */
    int32_t *start_length, *start_colour; /* of each pair, by colour and ascending length */
    uint32_t used;                   /* the colours of the line, with the background, as bits */
    uint8_t own[MAX_STATES];         /* the same, in the order of their first blocks */
} clue;

/* Encode the open cells of a puzzle. A cell of two states has one variable, true if it is filled; of more, one for each
 * colour that it can have, from 1 in row-major order.
 *
 * Args: its size; the states of a cell; its clues; the possible colours of each cell, as bits; literals and the ends of
 * clauses in them, with enough room, or NULL; sizes, where the numbers of open cells (or of their colours), variables,
 * clauses and literals are left. Returns false without memory. */
bool encode(int32_t rows, int32_t columns, int32_t states, const clue *clues, const uint32_t *masks, int32_t *literals,
            int64_t *ends, int64_t *sizes);

#endif
