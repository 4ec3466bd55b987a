/* Scalar types and error words of the second media interface. */
#ifndef ACLSAN_HI_DVPP_TYPE_H
#define ACLSAN_HI_DVPP_TYPE_H

#include <stdint.h>

typedef unsigned char hi_u8;
typedef short hi_s16;
typedef char hi_char;
typedef double hi_double;
typedef int32_t hi_s32;
typedef uint32_t hi_u32;
typedef long long hi_s64;
typedef unsigned long long hi_u64;
typedef void hi_void;

typedef enum {
    HI_FALSE = 0,
    HI_TRUE = 1,
} hi_bool;

#define HI_SUCCESS 0
#define HI_FAILURE (-1)

#ifndef ALIGN_UP
#define ALIGN_UP(size, unit) (((size) + (unit) - 1) / (unit) * (unit))
#endif

/* 0xA0000000, then module << 16, level << 13 (4: error) and the code. */
#define HI_ERR_APP_ID (0x80000000U + 0x20000000U)
#define HI_DEFINE_ERR(mod, level, err_id) \
    ((hi_s32)((HI_ERR_APP_ID) | ((hi_u32)(mod) << 16) | ((hi_u32)(level) << 13) | ((hi_u32)(err_id))))

enum {
    HI_ERR_INVALID_CHN_ID = 2,
    HI_ERR_ILLEGAL_PARAM = 3,
    HI_ERR_EXIST = 4,
    HI_ERR_UNEXIST = 5,
    HI_ERR_NULL_PTR = 6,
    HI_ERR_NOT_SUPPORT = 8,
    HI_ERR_NOT_PERM = 9,
    HI_ERR_NO_MEM = 12,
    HI_ERR_NO_BUF = 13,
    HI_ERR_BUF_EMPTY = 14,
    HI_ERR_NOT_READY = 16,
    HI_ERR_BAD_ADDR = 17,
    HI_ERR_BUSY = 18,
    HI_ERR_SYS_ERROR = 21,
};

enum {
    HI_ERR_LEVEL_ERROR = 4,
};

typedef enum {
    HI_ID_VB = 1,
    HI_ID_SYS = 2,
    HI_ID_VDEC = 5,
    HI_ID_VPC = 7,
} hi_mod_id;

#endif
