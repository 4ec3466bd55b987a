/* Baseline JPEG to and from 4:2:0 pictures in host-visible memory. */
#ifndef SIMULATOR_JPEG_H
#define SIMULATOR_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Three planes' samples, one byte each; chroma may be interleaved (`step` 2). */
struct jpeg_plane {
    uint8_t *samples;
    uint32_t step, stride;
    uint32_t width, height;
};

struct jpeg_info {
    uint32_t width, height;
    int components;
    uint8_t across[3], down[3]; /* sampling factors */
};

/* The contents of the frame header; false if there is none. */
bool jpegInfo(const uint8_t *file, size_t length, struct jpeg_info *info);
/* Writes a 4:2:0 file; 0 when it does not fit `room`. `level` is 1 (smallest) to 100 (best). */
size_t jpegEncode(const struct jpeg_plane planes[3], uint32_t level, uint8_t *file, size_t room);
/* Decodes a baseline 4:2:0 file into planes of its size; false for another kind or a damaged one. */
bool jpegDecode(const uint8_t *file, size_t length, const struct jpeg_plane planes[3]);

#endif
