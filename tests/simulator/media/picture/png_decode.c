#include "png.h"

#include <stdlib.h>
#include <string.h>

#include "inflate.h"

enum { HEADER_END = 29, SIDE_MOST = 4096 };

static uint32_t number(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The checks of image_processor_v100.cpp (CANN 20.0): more than 29 bytes, the signature, and no name of the first chunk. */
bool pngInfo(const uint8_t *file, size_t length, struct png_info *info)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint32_t channels[7] = {1, 0, 3, 0, 2, 0, 4};
    if (length <= HEADER_END || memcmp(file, signature, sizeof signature) != 0) {
        return false;
    }
    *info = (struct png_info){
        .width = number(file + 16),
        .height = number(file + 20),
        .depth = file[24],
        .channels = file[25] < 7 ? channels[file[25]] : 0,
        .is_interlaced = file[28] != 0,
    };
    return true;
}

/* The contents of all chunks IDAT, which are one stream; to be freed. NULL if there is none. */
static uint8_t *imageData(const uint8_t *file, size_t length, size_t *size)
{
    uint8_t *data = malloc(length);
    size_t at = 8;
    *size = 0;
    while (data != NULL && length - at >= 12) {
        uint32_t chunk = number(file + at);
        if (chunk > length - at - 12) {
            break;
        }
        if (memcmp(file + at + 4, "IDAT", 4) == 0) {
            memcpy(data + *size, file + at + 8, chunk);
            *size += chunk;
        }
        at += (size_t)chunk + 12;
    }
    return data;
}

static int paeth(int left, int above, int corner)
{
    int guess = left + above - corner;
    int from_left = abs(guess - left), from_above = abs(guess - above), from_corner = abs(guess - corner);
    return from_left <= from_above && from_left <= from_corner ? left : from_above <= from_corner ? above : corner;
}

/* Undoes a row's filter (clause 9). `above` is NULL for the first row. */
static bool unfilter(int filter, uint8_t *row, const uint8_t *above, size_t bytes, size_t unit)
{
    for (size_t i = 0; i < bytes; i++) {
        int left = i < unit ? 0 : row[i - unit], up = above == NULL ? 0 : above[i];
        int corner = i < unit || above == NULL ? 0 : above[i - unit];
        switch (filter) {
        case 0: return true;
        case 1: row[i] = (uint8_t)(row[i] + left); break;
        case 2: row[i] = (uint8_t)(row[i] + up); break;
        case 3: row[i] = (uint8_t)(row[i] + (left + up) / 2); break;
        case 4: row[i] = (uint8_t)(row[i] + paeth(left, up, corner)); break;
        default: return false;
        }
    }
    return true;
}

static void expand(const uint8_t *row, uint32_t width, uint32_t from, uint8_t *out, int to)
{
    for (uint32_t x = 0; x < width; x++, row += from, out += to) {
        out[0] = row[0];
        out[1] = from < 3 ? row[0] : row[1];
        out[2] = from < 3 ? row[0] : row[2];
        if (to == 4) {
            out[3] = from % 2 == 0 ? row[from - 1] : 0xff;
        }
    }
}

bool pngDecode(const uint8_t *file, size_t length, uint8_t *out, size_t stride, int channels)
{
    struct png_info info;
    if (!pngInfo(file, length, &info) || info.channels == 0 || info.depth != 8 || info.is_interlaced || info.width == 0 ||
        info.width > SIDE_MOST || info.height == 0 || info.height > SIDE_MOST) {
        return false;
    }
    size_t size, bytes = (size_t)info.width * info.channels, room = info.height * (bytes + 1);
    uint8_t *data = imageData(file, length, &size), *rows = malloc(room);
    /* Two bytes of zlib's header; its checksum at the end is not read. */
    bool is_whole = data != NULL && rows != NULL && size > 2 && inflateInto(data + 2, size - 2, rows, room);
    for (uint32_t y = 0; y < info.height && is_whole; y++) {
        uint8_t *row = rows + y * (bytes + 1) + 1;
        is_whole = unfilter(row[-1], row, y == 0 ? NULL : row - bytes - 1, bytes, info.channels);
        expand(row, info.width, info.channels, out + y * stride, channels);
    }
    free(data);
    free(rows);
    return is_whole;
}
