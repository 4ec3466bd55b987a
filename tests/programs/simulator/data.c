//@ run
/* Data buffers and scalar types. */
#include <math.h>

#include "expect.h"

int main(void)
{
    aclDataBuffer *buffer = aclCreateDataBuffer((void *)0x1234, (size_t)5 << 32 | 7);
    EXPECT("3.14", buffer && aclGetDataBufferAddr(buffer) == (void *)0x1234);
    EXPECT("3.14: deprecated 32-bit form", aclGetDataBufferSize(buffer) == 7);
    EXPECT("3.14", aclGetDataBufferSizeV2(buffer) == ((size_t)5 << 32 | 7));
    OK(aclUpdateDataBuffer(buffer, NULL, 1));
    EXPECT("3.14", aclGetDataBufferAddr(buffer) == NULL && aclGetDataBufferSizeV2(buffer) == 1);
    OK(aclDestroyDataBuffer(buffer));
    EXPECT_CODE("3.14", ACL_ERROR_INVALID_PARAM, aclDestroyDataBuffer(NULL));
    EXPECT("7: sub-byte types answer 1", aclDataTypeSize(ACL_INT4) == 1 && aclDataTypeSize(ACL_UINT1) == 1);
    EXPECT("7", aclDataTypeSize(ACL_FLOAT) == 4 && aclDataTypeSize(ACL_BF16) == 2 && aclDataTypeSize(ACL_STRING) == 0);
    for (uint32_t half = 0; half < 0x10000; half++) {
        float value = aclFloat16ToFloat((aclFloat16)half);
        EXPECT("IEEE 754", isnan(value) || aclFloatToFloat16(value) == half);
    }
    EXPECT("IEEE 754", aclFloatToFloat16(65520.0f) == 0x7c00 && aclFloatToFloat16(65519.0f) == 0x7bff);
    EXPECT("IEEE 754", aclFloatToFloat16(1.0f + 1.0f / 2048) == 0x3c00 && aclFloatToFloat16(-0.0f) == 0x8000);
    return 0;
}
