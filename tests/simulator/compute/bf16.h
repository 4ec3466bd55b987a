/* bfloat16: the upper half of a float. */
#ifndef SIMULATOR_COMPUTE_BF16_H
#define SIMULATOR_COMPUTE_BF16_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float bf16ToFloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static inline uint16_t floatToBf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
