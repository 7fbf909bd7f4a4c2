/* The chase down a Lights Out board, on packed cells: the method of chase.py in Python. */
#include <string.h>

#include "kernel.h"

/* 64 cells of a packed grid from any bit on; cells behind the last byte are 0. */
static word cells_at(const uint8_t *packed, size_t size, size_t bit) {
    const size_t at = bit / 8, shift = bit % 8;
    word low = 0, high = at + 8 < size ? packed[at + 8] : 0;
    if (size - at < 8) memcpy(&low, packed + at, size - at);
    else memcpy(&low, packed + at, 8); /* of a known size: one instruction */
    return shift ? low >> shift | high << (64 - shift) : low;
}

/* From the first row of presses in `row`, which becomes the lights left in the last row. Above and row have a word more
 * than a row of the board. Presses, unless it is NULL, has the size of lit. All that is not given is 0, and bytes are in
 * the order of little-endian machines. */
API void crosslit_chase(const uint8_t *lit, int64_t rows, int64_t columns, bool stay, word *above, word *row,
                        uint8_t *presses) {
    const size_t size = (size_t)(rows * columns + 7) / 8, words = (size_t)(columns + 63) / 64;
    const word last = ~(word)0 >> (-columns & 63), own = -(word)stay;
    size_t bit = 0, done; /* of the board, and cells of a row */
    for (; rows--; bit += columns - done) {
        word before = 0;
        done = 0;
        for (size_t w = 0; w < words; w++, bit += 64, done += 64) {
            const word here = row[w], left = cells_at(lit, size, bit) ^ above[w];
            if (presses) {
                const size_t at = bit / 8, shift = bit % 8;
                const word low = presses[at] | here << shift;
                if (size - at < 8) memcpy(presses + at, &low, size - at);
                else memcpy(presses + at, &low, 8);
                if (shift && at + 8 < size) presses[at + 8] = (uint8_t)(here >> (64 - shift));
            }
            row[w] = left ^ (here & own) ^ here << 1 ^ before >> 63 ^ here >> 1 ^ row[w + 1] << 63;
            above[w] = before = here;
        }
        row[words - 1] &= last;
    }
}
