/* Operators called without a framework: tensors from numbers, both phases by name, and expected values. */
#ifndef ENGINE_H
#define ENGINE_H

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "expect.h"

enum { MOST = 64 };

static aclrtStream stream;

/* A tensor in memory of its own, from floating-point numbers that are converted to its type. */
struct made {
    aclTensor *tensor;
    void *address;
    aclDataType type;
    int64_t count;
};

static size_t bytesOf(aclDataType type)
{
    return type == ACL_FLOAT || type == ACL_INT32 ? 4 : type == ACL_INT64 || type == ACL_DOUBLE ? 8 : type == ACL_BOOL ? 1 : 2;
}

static void put(void *bytes, aclDataType type, int64_t at, double value)
{
    switch (type) {
    case ACL_FLOAT:
        ((float *)bytes)[at] = (float)value;
        break;
    case ACL_DOUBLE:
        ((double *)bytes)[at] = value;
        break;
    case ACL_INT64:
        ((int64_t *)bytes)[at] = (int64_t)value;
        break;
    case ACL_INT32:
        ((int32_t *)bytes)[at] = (int32_t)value;
        break;
    default:
        ((unsigned char *)bytes)[at] = value != 0;
    }
}

static double get(const void *bytes, aclDataType type, int64_t at)
{
    switch (type) {
    case ACL_FLOAT:
        return ((const float *)bytes)[at];
    case ACL_DOUBLE:
        return ((const double *)bytes)[at];
    case ACL_INT64:
        return (double)((const int64_t *)bytes)[at];
    case ACL_INT32:
        return ((const int32_t *)bytes)[at];
    default:
        return ((const unsigned char *)bytes)[at];
    }
}

/* `strides` NULL: dense. `values` NULL: all -1. */
static struct made make(aclDataType type, int rank, const int64_t *dims, const int64_t *strides, const double *values, int64_t stored)
{
    unsigned char bytes[MOST * 8];
    struct made made = {.type = type, .count = stored};
    for (int64_t i = 0; i < stored; i++) {
        put(bytes, type, i, values == NULL ? -1 : values[i]);
    }
    size_t size = bytesOf(type) * (size_t)stored;
    OK(aclrtMalloc(&made.address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(made.address, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    made.tensor = aclCreateTensor(dims, (uint64_t)rank, type, strides, 0, ACL_FORMAT_ND, &stored, 1, made.address);
    return made;
}

#define DIMS(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__}
#define DENSE(type, dims, ...) \
    make(type, dims, NULL, (double[]){__VA_ARGS__}, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

static void expectValues(const char *what, const struct made *made, const double *wanted, int64_t count)
{
    unsigned char bytes[MOST * 8];
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(bytes, sizeof bytes, made->address, bytesOf(made->type) * (size_t)made->count, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int64_t i = 0; i < count; i++) {
        double now = get(bytes, made->type, i);
        EXPECT(what, fabs(now - wanted[i]) < 1e-5 || (now != now && wanted[i] != wanted[i]));
    }
}
#define EXPECT_VALUES(what, made, ...) \
    expectValues(what, made, (double[]){__VA_ARGS__}, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

/* Phase two, with a workspace if one is needed. */
static void run(const char *name, uint64_t size, aclOpExecutor *executor)
{
    void *workspace = NULL;
    if (size > 0) {
        OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    aclnnStatus (*second)(void *, uint64_t, aclOpExecutor *, aclrtStream) =
        (aclnnStatus(*)(void *, uint64_t, aclOpExecutor *, aclrtStream))dlsym(RTLD_DEFAULT, name);
    EXPECT(name, second != NULL && second(workspace, size, executor, stream) == 0);
    OK(aclrtSynchronizeStream(stream));
    if (workspace != NULL) {
        OK(aclrtFree(workspace));
    }
}

/* CALL(aclnnX, (types), arguments …): both phases of an operator that no header declares. */
#define PHASE_ONE(name, types, ...) \
    ((aclnnStatus(*) types)dlsym(RTLD_DEFAULT, #name "GetWorkspaceSize"))(__VA_ARGS__, &size, &executor)
#define CALL(name, types, ...) \
    do { \
        uint64_t size = 0; \
        aclOpExecutor *executor = NULL; \
        EXPECT(#name, PHASE_ONE(name, types, __VA_ARGS__) == 0); \
        run(#name, size, executor); \
    } while (0)
#define REFUSED(name, types, ...) \
    do { \
        uint64_t size = 0; \
        aclOpExecutor *executor = NULL; \
        EXPECT(#name " is refused", PHASE_ONE(name, types, __VA_ARGS__) == ACLNN_ERR_PARAM_INVALID); \
    } while (0)
#define ENDS uint64_t *, aclOpExecutor **

typedef const aclTensor *T;
typedef const aclScalar *S;

static inline aclScalar *real(double value)
{
    return aclCreateScalar(&value, ACL_DOUBLE);
}

#endif
