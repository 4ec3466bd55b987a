/* Numbers that programs pass. pyACL's reference gives them as numbers; a program finds them here under the names of the C headers. */
#include "binding.h"
#include "../../../shim/abi/include/acl/acl.h"
#include "../../../shim/abi/include/acl/ops/acl_dvpp.h"

#define NUMBER(name) {#name, (long)(name)}

static const struct {
    const char *name;
    long value;
} numbers[] = {
    NUMBER(ACL_SUCCESS),
    NUMBER(ACL_ERROR_INVALID_PARAM),
    NUMBER(ACL_ERROR_UNINITIALIZE),
    NUMBER(ACL_ERROR_REPEAT_INITIALIZE),
    NUMBER(ACL_ERROR_BAD_ALLOC),

    NUMBER(ACL_DT_UNDEFINED),
    NUMBER(ACL_FLOAT),
    NUMBER(ACL_FLOAT16),
    NUMBER(ACL_INT8),
    NUMBER(ACL_INT32),
    NUMBER(ACL_UINT8),
    NUMBER(ACL_INT16),
    NUMBER(ACL_UINT16),
    NUMBER(ACL_UINT32),
    NUMBER(ACL_INT64),
    NUMBER(ACL_UINT64),
    NUMBER(ACL_DOUBLE),
    NUMBER(ACL_BOOL),

    NUMBER(ACL_FORMAT_UNDEFINED),
    NUMBER(ACL_FORMAT_NCHW),
    NUMBER(ACL_FORMAT_NHWC),
    NUMBER(ACL_FORMAT_ND),
    NUMBER(ACL_FORMAT_NC1HWC0),
    NUMBER(ACL_FORMAT_FRACTAL_Z),

    NUMBER(ACL_MEM_MALLOC_HUGE_FIRST),
    NUMBER(ACL_MEM_MALLOC_HUGE_ONLY),
    NUMBER(ACL_MEM_MALLOC_NORMAL_ONLY),
    NUMBER(ACL_MEM_MALLOC_HUGE_FIRST_P2P),
    NUMBER(ACL_MEM_MALLOC_HUGE_ONLY_P2P),
    NUMBER(ACL_MEM_MALLOC_NORMAL_ONLY_P2P),

    NUMBER(ACL_MEMCPY_HOST_TO_HOST),
    NUMBER(ACL_MEMCPY_HOST_TO_DEVICE),
    NUMBER(ACL_MEMCPY_DEVICE_TO_HOST),
    NUMBER(ACL_MEMCPY_DEVICE_TO_DEVICE),

    NUMBER(ACL_DEVICE),
    NUMBER(ACL_HOST),
    NUMBER(ACL_DDR_MEM),
    NUMBER(ACL_HBM_MEM),

    NUMBER(PIXEL_FORMAT_YUV_400),
    NUMBER(PIXEL_FORMAT_YUV_SEMIPLANAR_420),
    NUMBER(PIXEL_FORMAT_YVU_SEMIPLANAR_420),
    NUMBER(PIXEL_FORMAT_RGB_888),
    NUMBER(PIXEL_FORMAT_BGR_888),
};

int add_constants(PyObject *module)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (PyModule_AddIntConstant(module, numbers[i].name, numbers[i].value)) return -1;
    return 0;
}
