/* Element types and formats: their numbers, names and sizes. */
#include "acl/acl_base_rt.h"
#include "read.h"

/* By acl's number; names are those that files are written with. */
static const struct {
    const char *name;
    uint8_t bits;
} types[] = {
    [0] = {"FLOAT", 32}, [1] = {"FLOAT16", 16}, [2] = {"INT8", 8}, [3] = {"INT32", 32}, [4] = {"UINT8", 8},
    [6] = {"INT16", 16}, [7] = {"UINT16", 16}, [8] = {"UINT32", 32}, [9] = {"INT64", 64}, [10] = {"UINT64", 64},
    [11] = {"DOUBLE", 64}, [12] = {"BOOL", 8}, [13] = {"STRING", 128}, [16] = {"COMPLEX64", 64},
    [17] = {"COMPLEX128", 128}, [18] = {"QINT8", 8}, [19] = {"QINT16", 16}, [20] = {"QINT32", 32},
    [21] = {"QUINT8", 8}, [22] = {"QUINT16", 16}, [27] = {"BF16", 16}, [29] = {"INT4", 4}, [30] = {"UINT1", 1},
    [31] = {"INT2", 2}, [32] = {"UINT2", 2}, [33] = {"COMPLEX32", 32}, [34] = {"HIFLOAT8", 8},
    [35] = {"FLOAT8_E5M2", 8}, [36] = {"FLOAT8_E4M3FN", 8}, [37] = {"FLOAT8_E8M0", 8}, [38] = {"FLOAT6_E3M2", 6},
    [39] = {"FLOAT6_E2M3", 6}, [40] = {"FLOAT4_E2M1", 4}, [41] = {"FLOAT4_E1M2", 4},
};

/* acl's numbers, by those of the files. */
static const int8_t numbers[] = {
    -1, 0, 1, 2, 4, 6, 7, 3, 9, 8, 10, 12, 11, 13, -1, -1, 16, 17, 18, 19, 20,
    21, 22, 23, 24, 25, 26, 27, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41,
};

/* By number. */
static const char *const formats[] = {
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "LOOKUP_LOOKUPS", "LOOKUP_KEYS",
    "LOOKUP_VALUE", "LOOKUP_OUTPUT", "LOOKUP_HITS", "C1HWNCoC0", "MD", "NDHWC", NULL, "FRACTAL_NZ", "NCDHW", "DHWCN",
    "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC", "DHWNC", "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM", "FRACTAL_Z_G", NULL,
    "ALL", "NULL", "ND_RNN_BIAS", "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL", "FRACTAL_Z_WINO", "C1HWC0",
    "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_32", "FRACTAL_NZ_C0_2", "FRACTAL_NZ_C0_4", "FRACTAL_NZ_C0_8",
};

enum { CHANNELS = 1, QINT8 = 18 };
enum { TYPES = sizeof types / sizeof *types, FORMATS = sizeof formats / sizeof *formats };

int32_t omTypeOf(uint64_t type)
{
    return type < sizeof numbers ? numbers[type] : -1;
}

unsigned omElementBits(int32_t type)
{
    return type < 0 || type >= TYPES ? 0 : types[type].bits;
}

const char *omTypeName(int32_t type)
{
    return type < 0 || type >= TYPES ? NULL : types[type].name;
}

const char *omFormatName(int32_t format)
{
    return format < 0 || format >= FORMATS ? NULL : formats[format];
}

static bool isText(const char *known, const char *name, size_t length)
{
    return known != NULL && strlen(known) == length && memcmp(known, name, length) == 0;
}

int32_t omFormatNumber(const char *name, size_t length)
{
    for (int32_t i = 0; i < FORMATS; i++) {
        if (isText(formats[i], name, length)) {
            return i;
        }
    }
    return -1;
}

/* As AIPP's descriptions write them, "DT_FLOAT16" or without the prefix. */
int32_t omTypeNumber(const char *name, size_t length)
{
    if (length > 3 && memcmp(name, "DT_", 3) == 0) {
        return omTypeNumber(name + 3, length - 3);
    }
    for (int32_t i = 0; i < TYPES; i++) {
        if (isText(types[i].name, name, length)) {
            return i;
        }
    }
    return -1;
}

bool omTensorBytes(int32_t type, const struct om_dims *dims, int64_t *bytes)
{
    int64_t count = 1;
    for (size_t i = 0; i < dims->count; i++) {
        if (__builtin_mul_overflow(count, dims->at[i], &count)) {
            return false;
        }
    }
    if (__builtin_mul_overflow(count, (int64_t)omElementBits(type), &count)) {
        return false;
    }
    *bytes = count < 0 ? count / 8 : count / 8 + (count % 8 != 0);
    return true;
}

bool omStoredBytes(int32_t type, int32_t format, const struct om_dims *dims, int64_t *bytes)
{
    if (format != ACL_FORMAT_NC1HWC0 || dims->count != 4 || dims->at[CHANNELS] < 0) {
        return omTensorBytes(type, dims, bytes);
    }
    bool is_byte = type == ACL_INT8 || type == ACL_UINT8 || type == ACL_BOOL || type == QINT8;
    int64_t step = is_byte ? 32 : 16, steps = dims->at[CHANNELS] / step + (dims->at[CHANNELS] % step != 0);
    int64_t stored[5] = {dims->at[0], steps, dims->at[2], dims->at[3], step};
    return omTensorBytes(type, &(struct om_dims){5, stored}, bytes);
}
