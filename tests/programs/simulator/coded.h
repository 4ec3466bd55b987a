/* Coded video as the simulator's decoders take it (simulator/media/frames.h). */
#ifndef PROGRAMS_CODED_H
#define PROGRAMS_CODED_H

#include <string.h>

#define CODED_BYTES(width, height) (12 + (width) * (height) * 3 / 2)

/* What row `row` of frame `number` is filled with. */
static inline unsigned char codedSample(int number, int row)
{
    return (unsigned char)(number * 16 + row + 1);
}

static inline void codeFrame(unsigned char *to, unsigned width, unsigned height, int number)
{
    const unsigned char header[12] = {'A', 'C', 'L', 'V', (unsigned char)width, (unsigned char)(width >> 8), 0, 0,
                                      (unsigned char)height, (unsigned char)(height >> 8), 0, 0};
    memcpy(to, header, sizeof header);
    for (unsigned row = 0; row < height * 3 / 2; row++) {
        memset(to + sizeof header + row * width, codedSample(number, (int)row), width);
    }
}

#endif
