/* The two 16-bit floating-point types, rounded to nearest, ties to even. */
#ifndef SIMULATOR_ACLNN_HALF_H
#define SIMULATOR_ACLNN_HALF_H

#include <stdint.h>
#include <string.h>

static inline float fromBits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bitsOf(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float fromBrain(uint16_t half)
{
    return fromBits((uint32_t)half << 16);
}

static inline uint16_t toBrain(float value)
{
    uint32_t bits = bitsOf(value);
    if (value != value) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float fromHalf(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31) {
        return fromBits(sign | 0x7f800000 | fraction << 13);
    }
    if (exponent == 0) {
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    return fromBits(sign | (exponent + 112) << 23 | fraction << 13);
}

static inline uint16_t toHalf(float value)
{
    uint32_t bits = bitsOf(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
        return (uint16_t)(sign | 0x7e00);
    }
    if (magnitude >= 0x477ff000) { /* rounds to 65536 or above */
        return (uint16_t)(sign | 0x7c00);
    }
    if (magnitude < 0x38800000) { /* subnormal: the addition rounds */
        return (uint16_t)(sign | (bitsOf(fromBits(magnitude) + 0.5f) - 0x3f000000));
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

#endif
