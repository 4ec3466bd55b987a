/* Sums, products, maxima and minima of elements. Halves are combined as floats and rounded after each rank, as a chip does. */
#include "../compute/bf16.h"
#include "group.h"

/* A number that is none is passed on by maxima and minima, too. */
#define LARGER(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))

#define EACH(expression) \
    for (uint64_t i = 0; i < count; i++) { \
        const wide a = LOAD(one[i]), b = LOAD(other[i]); \
        one[i] = STORE(expression); \
    } \
    break

/* `narrow` is what memory holds, `work` what is computed with: unsigned for integers, which wrap. */
#define COMBINER(name, narrow, order, work) \
    static void name(HcclReduceOp op, void *into, const void *more, uint64_t bytes) \
    { \
        narrow *one = into; \
        const narrow *other = more; \
        const uint64_t count = bytes / sizeof *one; \
        typedef order wide; \
        switch (op) { \
        case HCCL_REDUCE_PROD: EACH((work)a * (work)b); \
        case HCCL_REDUCE_MAX: EACH(LARGER(a, b)); \
        case HCCL_REDUCE_MIN: EACH(SMALLER(a, b)); \
        default: EACH((work)a + (work)b); \
        } \
    }

#define LOAD(element) (element)
#define STORE(number) (wide)(number)
COMBINER(ofFloat, float, float, float)
COMBINER(ofDouble, double, double, double)
COMBINER(ofInt8, int8_t, int8_t, uint32_t)
COMBINER(ofUint8, uint8_t, uint8_t, uint32_t)
COMBINER(ofInt16, int16_t, int16_t, uint32_t)
COMBINER(ofUint16, uint16_t, uint16_t, uint32_t)
COMBINER(ofInt32, int32_t, int32_t, uint32_t)
COMBINER(ofUint32, uint32_t, uint32_t, uint32_t)
COMBINER(ofInt64, int64_t, int64_t, uint64_t)
COMBINER(ofUint64, uint64_t, uint64_t, uint64_t)
#undef LOAD
#undef STORE

#define LOAD(element) aclFloat16ToFloat(element)
#define STORE(number) aclFloatToFloat16(number)
COMBINER(ofHalf, uint16_t, float, float)
#undef LOAD
#undef STORE

#define LOAD(element) bf16ToFloat(element)
#define STORE(number) floatToBf16(number)
COMBINER(ofBf16, uint16_t, float, float)

void combine(aclDataType type, HcclReduceOp op, void *into, const void *more, uint64_t bytes)
{
    switch (type) {
    case ACL_FLOAT: ofFloat(op, into, more, bytes); break;
    case ACL_DOUBLE: ofDouble(op, into, more, bytes); break;
    case ACL_FLOAT16: ofHalf(op, into, more, bytes); break;
    case ACL_BF16: ofBf16(op, into, more, bytes); break;
    case ACL_INT8: ofInt8(op, into, more, bytes); break;
    case ACL_UINT8:
    case ACL_BOOL: ofUint8(op, into, more, bytes); break;
    case ACL_INT16: ofInt16(op, into, more, bytes); break;
    case ACL_UINT16: ofUint16(op, into, more, bytes); break;
    case ACL_INT32: ofInt32(op, into, more, bytes); break;
    case ACL_UINT32: ofUint32(op, into, more, bytes); break;
    case ACL_INT64: ofInt64(op, into, more, bytes); break;
    case ACL_UINT64: ofUint64(op, into, more, bytes); break;
    default: break;
    }
}
