/* Data buffers and data types. */
#include "../public.h"

#include <stdlib.h>
#include <string.h>

struct aclDataBuffer {
    void *data;
    uint64_t size;
};

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    if (aclsimInjected(__func__) != ACL_SUCCESS) {
        return NULL;
    }
    aclDataBuffer *buffer = malloc(sizeof *buffer);
    if (buffer) {
        *buffer = (aclDataBuffer){data, size};
    }
    return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    ENTER();
    REQUIRE(dataBuffer, ACL_ERROR_INVALID_PARAM);
    free((void *)(uintptr_t)dataBuffer);
    return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    ENTER();
    REQUIRE(dataBuffer, ACL_ERROR_INVALID_PARAM);
    *dataBuffer = (aclDataBuffer){data, size};
    return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->data : NULL;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? (uint32_t)dataBuffer->size : 0;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->size : 0;
}

/* Types narrower than a byte answer 1. */
size_t aclDataTypeSize(aclDataType dataType)
{
    switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
    case ACL_FLOAT6_E3M2:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
        return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
        return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
        return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
        return 8;
    case ACL_COMPLEX128:
        return 16;
    default:
        return 0;
    }
}

/* IEEE 754 half precision; denormal halves are exact floats. */
float aclFloat16ToFloat(aclFloat16 value)
{
    uint32_t sign = (uint32_t)(value & 0x8000u) << 16;
    uint32_t exponent = (value >> 10) & 0x1fu;
    uint32_t mantissa = value & 0x3ffu;
    if (exponent == 0) {
        float magnitude = (float)mantissa / 16777216.0f; /* 2^24 */
        return sign ? -magnitude : magnitude;
    }
    uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* Rounds to nearest, ties to even. */
aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = (bits >> 16) & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return (aclFloat16)(sign | 0x7e00u);
    }
    if (magnitude >= 0x477ff000u) { /* rounds to more than 65504 */
        return (aclFloat16)(sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) { /* denormal: let the addition of 0.5 do the rounding */
        float shifted;
        memcpy(&shifted, &magnitude, sizeof shifted);
        shifted += 0.5f;
        memcpy(&magnitude, &shifted, sizeof magnitude);
        return (aclFloat16)(sign | (magnitude - 0x3f000000u));
    }
    magnitude += 0xc8000fffu + ((magnitude >> 13) & 1u); /* rebias by -112 exponents, round */
    return (aclFloat16)(sign | magnitude >> 13);
}
