/* The example tables of the JPEG standard (ITU-T T.81, annex K), the zigzag order and the transform's factors. */
#ifndef SIMULATOR_JPEG_TABLES_H
#define SIMULATOR_JPEG_TABLES_H

#include <stdint.h>

/* Codes of each length 1..16, then the symbols in code order. */
struct huffman_list {
    uint8_t counts[16];
    uint8_t symbols[162];
};

extern const uint8_t jpeg_zigzag[64];
extern const uint8_t jpeg_quantisers[2][64]; /* luma, chroma; in natural order */
extern const struct huffman_list jpeg_dc[2];
extern const struct huffman_list jpeg_ac[2];

/* The transform's factors: frequency u at sample x. */
void jpegCosines(float cosine[8][8]);

#endif
