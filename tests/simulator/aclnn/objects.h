/* Tensors, values and plans, as libnnopbase.so makes them and libopapi.so reads them. */
#ifndef SIMULATOR_ACLNN_OBJECTS_H
#define SIMULATOR_ACLNN_OBJECTS_H

#include <stdbool.h>

#include "../engine.h"
#include "aclnn/acl_meta.h"

enum { RANK = 8, ARGUMENTS = 48 };

struct aclTensor {
    aclDataType type;
    aclFormat format;
    int rank, storage_rank;
    int64_t dims[RANK], strides[RANK], storage_dims[RANK];
    int64_t offset;
    void *data;
};

struct aclTensorList {
    uint64_t count;
    const aclTensor *tensors[];
};

struct aclScalar {
    aclDataType type;
    unsigned char bytes[16];
};

struct aclScalarList {
    uint64_t count;
    struct aclScalar scalars[];
};

struct aclIntArray {
    uint64_t count;
    int64_t values[];
};

struct aclFloatArray {
    uint64_t count;
    float values[];
};

struct aclBoolArray {
    uint64_t count;
    bool values[];
};

/* One argument of phase one, by the letter of its operator's signature. */
struct argument {
    char kind;
    bool is_absent;
    bool is_whole;    /* a scalar of an integer type */
    int first, count; /* of the plan's operands, or of its integers or numbers for an array */
    int64_t integer;
    double number;
    double imaginary; /* of a complex scalar */
};

/* One operator's pending work. A single block: `size` bytes hold all that its pointers reach. */
struct plan {
    aclError (*compute)(const struct plan *plan);
    const struct operator_row *row; /* NULL: an operator with a function of its own */
    const char *name;               /* of the operator, for a fault */
    bool (*indices_fit)(const struct plan *plan); /* NULL: it takes none */
    size_t size;
    uint64_t need; /* bytes of workspace */
    bool shrinks;  /* its run sets sizes of the caller's tensors */
    int count;     /* of the operands */
    int values;    /* of the arrays' elements */
    int arguments_count;
    double numbers[4];
    void *workspace;
    struct argument arguments[ARGUMENTS];
    struct aclTensor *operands;
    const aclTensor **tensors; /* whose addresses may be set again */
    int64_t *integers;
    double *reals; /* the same elements as numbers */
};

struct aclOpExecutor {
    struct plan *plan;
    bool is_repeatable, is_generated;
};

/* Holds the executor while phase one makes its plan; NULL without memory. */
struct unique_executor {
    const char *function;
    aclOpExecutor *executor;
};

/* Whether the object is live: destroyed ones may still be passed in and must not be accessed. */
ACLSIM_ENTRY bool aclsimIsObject(const void *object);
/* The same; a live object stays so, for other threads, until `aclsimLetGo`. */
ACLSIM_ENTRY bool aclsimHold(const void *object);
/* All that are live now stay so, for other threads, until `aclsimLetGo`. */
ACLSIM_ENTRY void aclsimHoldAll(void);
ACLSIM_ENTRY void aclsimLetGo(void);
/* A plan for this many operands and elements of arrays; NULL without memory. */
ACLSIM_ENTRY struct plan *aclsimPlan(int operands, int values);
struct plan *planCopy(const struct plan *plan);
/* The name for failures of this thread's next phase two. */
ACLSIM_ENTRY void aclsimRunAs(const char *name);
/* Ends an executor, with its plan. False for one that is none any more. */
ACLSIM_ENTRY bool aclsimEndExecutor(const aclOpExecutor *executor);

#endif
