/* Decompression of deflate data (RFC 1951). */
#ifndef SIMULATOR_INFLATE_H
#define SIMULATOR_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decompresses into exactly `room` bytes; false if the data is damaged or makes another number of bytes. */
bool inflateInto(const uint8_t *data, size_t length, uint8_t *out, size_t room);

#endif
