/* The simulator's coded video, which its decoders accept instead of H.264 and H.265. */
#ifndef SIMULATOR_FRAMES_H
#define SIMULATOR_FRAMES_H

#include "planes.h"

/* A coded frame is the letters `ACLV`, the width and the height as 32-bit little-endian numbers, then the samples of a
 * 4:2:0 picture, luma first, pairs of chroma samples after it, without any gap. */
enum { FRAME_HEADER = 12 };

/* Decodes one frame into `out`, whose size, strides and format the caller wished for, 0 where it did not; fills them in.
 * 0, or why not: a code that programs find in a picture's record. */
enum frame_fault {
    FRAME_WHOLE = 0,
    FRAME_DAMAGED = 0x10001,
    FRAME_TOO_LARGE = 0x10002,
    FRAME_OUT_OF_REACH = 0x10003,
};
enum frame_fault frameDecode(const void *coded, uint32_t length, struct picture *out);

#endif
