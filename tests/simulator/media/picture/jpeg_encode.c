/* The encoder: blocks of 8 by 8 samples, transformed, divided, and written as Huffman codes. */
#include <math.h>
#include <string.h>

#include "jpeg.h"
#include "jpeg_tables.h"

struct code {
    uint16_t bits[256];
    uint8_t length[256];
};

struct writer {
    uint8_t *file;
    size_t length, room;
    uint32_t pending;
    int pending_bits;
};

static void byte(struct writer *writer, int value)
{
    if (writer->length < writer->room) {
        writer->file[writer->length] = (uint8_t)value;
    }
    writer->length++;
}

static void word(struct writer *writer, int value)
{
    byte(writer, value >> 8);
    byte(writer, value);
}

static void bits(struct writer *writer, uint32_t value, int count)
{
    writer->pending = writer->pending << count | (value & ((1u << count) - 1));
    writer->pending_bits += count;
    while (writer->pending_bits >= 8) {
        int next = writer->pending >> (writer->pending_bits - 8) & 0xff;
        byte(writer, next);
        if (next == 0xff) {
            byte(writer, 0);
        }
        writer->pending_bits -= 8;
    }
}

static void codes(const struct huffman_list *list, struct code *code)
{
    int symbol = 0;
    uint16_t next = 0;
    memset(code, 0, sizeof *code);
    for (int length = 1; length <= 16; length++, next = (uint16_t)(next << 1)) {
        for (int i = 0; i < list->counts[length - 1]; i++, symbol++, next++) {
            code->bits[list->symbols[symbol]] = next;
            code->length[list->symbols[symbol]] = (uint8_t)length;
        }
    }
}

static void symbol(struct writer *writer, const struct code *code, int value)
{
    bits(writer, code->bits[value], code->length[value]);
}

static int magnitude(int value)
{
    int count = 0;
    for (value = value < 0 ? -value : value; value > 0; value >>= 1) {
        count++;
    }
    return count;
}

/* A value as its number of bits (the symbol) and the bits; a negative one is stored minus 1. */
static void number(struct writer *writer, int value, int count)
{
    bits(writer, (uint32_t)(value < 0 ? value - 1 : value), count);
}

static void transform(float block[64], const uint8_t quantiser[64], int out[64])
{
    float cosine[8][8];
    jpegCosines(cosine);
    float half[64];
    for (int y = 0; y < 8; y++) {
        for (int u = 0; u < 8; u++) {
            half[y * 8 + u] = 0;
            for (int x = 0; x < 8; x++) {
                half[y * 8 + u] += block[y * 8 + x] * cosine[u][x];
            }
        }
    }
    for (int v = 0; v < 8; v++) {
        for (int u = 0; u < 8; u++) {
            float sum = 0;
            for (int y = 0; y < 8; y++) {
                sum += half[y * 8 + u] * cosine[v][y];
            }
            out[v * 8 + u] = (int)lrintf(sum / (float)quantiser[v * 8 + u]);
        }
    }
}

static void block(struct writer *writer, const struct jpeg_plane *plane, uint32_t left, uint32_t top,
                  const uint8_t quantiser[64], const struct code *dc, const struct code *ac, int *previous)
{
    float samples[64];
    int coefficients[64];
    for (uint32_t y = 0; y < 8; y++) {
        for (uint32_t x = 0; x < 8; x++) {
            uint32_t row = top + y < plane->height ? top + y : plane->height - 1;
            uint32_t column = left + x < plane->width ? left + x : plane->width - 1;
            samples[y * 8 + x] =
                (float)plane->samples[(size_t)row * plane->stride + (size_t)column * plane->step] - 128;
        }
    }
    transform(samples, quantiser, coefficients);
    int difference = coefficients[0] - *previous;
    *previous = coefficients[0];
    symbol(writer, dc, magnitude(difference));
    number(writer, difference, magnitude(difference));
    int zeros = 0;
    for (int i = 1; i < 64; i++) {
        int value = coefficients[jpeg_zigzag[i]];
        if (value == 0) {
            zeros++;
            continue;
        }
        for (; zeros > 15; zeros -= 16) {
            symbol(writer, ac, 0xf0);
        }
        symbol(writer, ac, zeros << 4 | magnitude(value));
        number(writer, value, magnitude(value));
        zeros = 0;
    }
    if (zeros > 0) {
        symbol(writer, ac, 0);
    }
}

static void huffmanSegment(struct writer *writer, int id, const struct huffman_list *list)
{
    int symbols = 0;
    for (int i = 0; i < 16; i++) {
        symbols += list->counts[i];
    }
    word(writer, 0xffc4);
    word(writer, 19 + symbols);
    byte(writer, id);
    for (int i = 0; i < 16; i++) {
        byte(writer, list->counts[i]);
    }
    for (int i = 0; i < symbols; i++) {
        byte(writer, list->symbols[i]);
    }
}

static void headers(struct writer *writer, const struct jpeg_plane planes[3], uint8_t quantisers[2][64])
{
    word(writer, 0xffd8);
    for (int table = 0; table < 2; table++) {
        word(writer, 0xffdb);
        word(writer, 67);
        byte(writer, table);
        for (int i = 0; i < 64; i++) {
            byte(writer, quantisers[table][jpeg_zigzag[i]]);
        }
    }
    word(writer, 0xffc0);
    word(writer, 17);
    byte(writer, 8);
    word(writer, (int)planes[0].height);
    word(writer, (int)planes[0].width);
    byte(writer, 3);
    for (int i = 0; i < 3; i++) {
        byte(writer, i + 1);
        byte(writer, i == 0 ? 0x22 : 0x11);
        byte(writer, i > 0);
    }
    for (int table = 0; table < 2; table++) {
        huffmanSegment(writer, table, &jpeg_dc[table]);
        huffmanSegment(writer, 0x10 | table, &jpeg_ac[table]);
    }
    word(writer, 0xffda);
    word(writer, 12);
    byte(writer, 3);
    for (int i = 0; i < 3; i++) {
        byte(writer, i + 1);
        byte(writer, i == 0 ? 0 : 0x11);
    }
    byte(writer, 0);
    byte(writer, 63);
    byte(writer, 0);
}

size_t jpegEncode(const struct jpeg_plane planes[3], uint32_t level, uint8_t *file, size_t room)
{
    struct writer writer = {file, 0, room, 0, 0};
    struct code dc[2], ac[2];
    uint8_t quantisers[2][64];
    level = level < 1 ? 1 : level > 100 ? 100 : level;
    int scale = level < 50 ? (int)(5000 / level) : (int)(200 - 2 * level);
    for (int table = 0; table < 2; table++) {
        codes(&jpeg_dc[table], &dc[table]);
        codes(&jpeg_ac[table], &ac[table]);
        for (int i = 0; i < 64; i++) {
            int divisor = (jpeg_quantisers[table][i] * scale + 50) / 100;
            quantisers[table][i] = (uint8_t)(divisor < 1 ? 1 : divisor > 255 ? 255 : divisor);
        }
    }
    headers(&writer, planes, quantisers);
    int previous[3] = {0};
    for (uint32_t top = 0; top < planes[0].height; top += 16) {
        for (uint32_t left = 0; left < planes[0].width; left += 16) {
            for (uint32_t i = 0; i < 4; i++) {
                block(&writer, &planes[0], left + i % 2 * 8, top + i / 2 * 8, quantisers[0], &dc[0], &ac[0],
                      &previous[0]);
            }
            for (int i = 1; i < 3; i++) {
                block(&writer, &planes[i], left / 2, top / 2, quantisers[1], &dc[1], &ac[1], &previous[i]);
            }
        }
    }
    bits(&writer, 0x7f, 7);
    word(&writer, 0xffd9);
    return writer.length > room ? 0 : writer.length;
}
