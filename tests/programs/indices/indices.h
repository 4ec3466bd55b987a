/* What the programs of indices share: tensors with memory of their own, and both phases of an operator. */
#ifndef PROGRAMS_INDICES_H
#define PROGRAMS_INDICES_H
#include "../operators/operators.h"
#include "aclnnop/aclnn_indexing.h"

static struct {
    aclTensor *tensor;
    void *memory;
} made[64];
static int made_count;

/* A dense tensor of these bytes, or of zeros; columns 0: a vector. */
static aclTensor *tensor(aclDataType type, int64_t rows, int64_t columns, const void *bytes) {
    const int64_t dims[] = {rows, columns};
    const size_t size = (size_t)(rows * (columns ? columns : 1)) * (type == ACL_INT64 ? 8 : 4), least = size ? size : 4;
    void *memory = device(least);
    MUST(aclrtMemset(memory, least, 0, least));
    if (bytes && size) MUST(aclrtMemcpy(memory, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    made[made_count].memory = memory;
    return made[made_count++].tensor = aclCreateTensor(dims, columns ? 2 : 1, type, NULL, 0, ACL_FORMAT_ND, dims, columns ? 2 : 1, memory);
}

/* A dense tensor of zeros with up to four dimensions. */
static inline aclTensor *shaped(int rank, const int64_t *dims) {
    int64_t count = 1;
    for (int i = 0; i < rank; i++) count *= dims[i];
    MUST(aclDestroyTensor(tensor(ACL_FLOAT, count, 0, NULL)));
    return made[made_count - 1].tensor = aclCreateTensor(dims, (uint64_t)rank, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, (uint64_t)rank, made[made_count - 1].memory);
}

static aclTensorList *lists[16];
static int list_count;

/* A list of tensors, which it owns. */
static inline aclTensorList *list(uint64_t count, const aclTensor *const *tensors) {
    for (int i = 0; i < made_count; i++) {
        for (uint64_t k = 0; k < count; k++) {
            if (made[i].tensor == tensors[k]) made[i].tensor = NULL;
        }
    }
    return lists[list_count++] = aclCreateTensorList(tensors, count);
}

static inline aclTensorList *pair(const aclTensor *first, const aclTensor *second) {
    return list(2, (const aclTensor *[]){first, second});
}

static inline aclTensorList *single(const aclTensor *tensor) {
    return list(1, &tensor);
}

/* A table of 32-bit numbers. */
static inline aclTensor *table_of(int64_t rows, int64_t columns, const int32_t *numbers) {
    return tensor(ACL_INT32, rows, columns, numbers);
}

static inline void drop_all(void) {
    while (list_count > 0) MUST(aclDestroyTensorList(lists[--list_count]));
    for (int i = 0; i < made_count; i++) {
        MUST(aclDestroyTensor(made[i].tensor));
        MUST(aclrtFree(made[i].memory));
    }
    made_count = 0;
}

#define ZEROS(rows, columns) tensor(ACL_FLOAT, rows, columns, NULL)
#define NUMBERS(...) tensor(ACL_INT64, sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t), 0, (const int64_t[]){__VA_ARGS__})
#define NARROW(...) tensor(ACL_INT32, sizeof(int32_t[]){__VA_ARGS__} / sizeof(int32_t), 0, (const int32_t[]){__VA_ARGS__})
#define ROWS_OF_TWO(...) tensor(ACL_INT64, sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t) / 2, 2, (const int64_t[]){__VA_ARGS__})

static void *workspace;
static aclrtStream queue;

static inline void open_queue(void) {
    begin();
    queue = stream();
    workspace = device(4096);
}

static inline void close_queue(void) {
    drop_all();
    MUST(aclrtFree(workspace));
    MUST(aclrtDestroyStream(queue));
    end();
}

/* Plans and runs an operator, and prints the answer of the wait for it. */
#define RUN(operator, ...) \
    do { \
        uint64_t need; \
        aclOpExecutor *executor; \
        MUST(operator##GetWorkspaceSize(__VA_ARGS__, &need, &executor)); \
        MUST(operator(need ? workspace : NULL, need, executor, queue)); \
        printf(#operator ": %d\n", aclrtSynchronizeStream(queue)); \
    } while (0)
#endif
