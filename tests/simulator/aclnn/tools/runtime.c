#include "runtime.h"

#include <stdio.h>

#include "../../compute/tensor.h"
#include "../engine/half.h"
#include "../entry.h"

struct storage storages[TENSORS];
int storage_count;
char refusal[512];

void *aclsimView(const void *address, uint64_t size, uint64_t *reach)
{
    (void)size;
    *reach = 0;
    for (int i = 0; i < storage_count; i++) {
        const unsigned char *at = address;
        if (at >= storages[i].bytes && at < storages[i].bytes + storages[i].size) {
            *reach = (uint64_t)(storages[i].bytes + storages[i].size - at);
            return (void *)address;
        }
    }
    return NULL;
}

bool aclsimBlock(const void *address, void **base, uint64_t *size)
{
    *base = (void *)address;
    *size = 0;
    return true;
}

bool aclsimAwaitsRelease(const void *address)
{
    (void)address;
    return false;
}

bool aclsimSeesHost(const void *address, uint64_t size)
{
    (void)address, (void)size;
    return false;
}

aclError aclsimEnqueue(aclrtStream stream, aclError (*task)(void *argument), void (*drop)(void *argument), void *argument)
{
    (void)stream;
    (void)task(argument);
    drop(argument);
    return ACL_SUCCESS;
}

aclError aclsimInjected(const char *function)
{
    (void)function;
    return ACL_SUCCESS;
}

aclError aclsimFailed(const char *function, aclError code)
{
    (void)function;
    return code;
}

aclError aclsimRefused(const char *function, const char *condition, aclError code)
{
    snprintf(refusal, sizeof refusal, "%s: %s", function, condition);
    return code;
}

aclError aclsimRefusedFor(const char *function, const char *text, aclError code)
{
    return aclsimRefused(function, text, code);
}

void aclsimTrapSays(const char *kernel, const char *text)
{
    (void)kernel, (void)text;
}

size_t aclDataTypeSize(aclDataType type)
{
    return type == ACL_COMPLEX64 ? 8 : type == ACL_COMPLEX128 ? 16 : elementBytes(type);
}

float aclFloat16ToFloat(aclFloat16 value)
{
    return fromHalf(value);
}

aclFloat16 aclFloatToFloat16(float value)
{
    return toHalf(value);
}
