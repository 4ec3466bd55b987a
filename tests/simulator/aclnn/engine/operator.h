/* A row for each operator that computes: its name, its arguments, and its function. */
#ifndef SIMULATOR_ACLNN_OPERATOR_H
#define SIMULATOR_ACLNN_OPERATOR_H

#include <complex.h>

#include "checks.h"
#include "spread.h"

typedef double (*real_function)(double a, double b, double c, double d);
typedef double complex (*complex_function)(double complex a, double complex b, double complex c, double complex d);
typedef int64_t (*whole_function)(int64_t a, int64_t b, int64_t c, int64_t d);

/* Integers wrap around, and nothing of them divided by 0 is 0: the least one divided by -1 would leave 64 bits. */
static inline int64_t wholeQuotient(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? (int64_t)-(uint64_t)a : a / b;
}
static inline int64_t wholeRest(int64_t a, int64_t b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

/* Such a function, from an expression of its arguments. */
#define REAL(name, value) \
    static double real_##name(double a, double b, double c, double d) \
    { \
        (void)a, (void)b, (void)c, (void)d; \
        return value; \
    }
#define WHOLE(name, value) \
    static int64_t whole_##name(int64_t a, int64_t b, int64_t c, int64_t d) \
    { \
        (void)a, (void)b, (void)c, (void)d; \
        return value; \
    }

/* `arguments` has a letter for each argument before the workspace's size:
 *
 *   T tensor   t the same, may be NULL   L list of tensors   l the same, may be NULL
 *   S scalar   s the same, may be NULL   Z list of scalars
 *   I int array   i the same, may be NULL   F float array   B bool array
 *   n int64_t   m int32_t   c int8_t   e an enumeration   b bool   d double   f float   q text
 *
 * A leading `=` marks an operator whose result replaces its first argument. */
struct operator_row {
    const char *name;
    const char *arguments;
    aclError (*compute)(const struct plan *plan);
    const struct check *checks;                /* of the arguments, in phase one */
    uint64_t (*need)(const struct plan *plan); /* NULL: no workspace */
    real_function real;                        /* element by element */
    whole_function whole;                      /* the same on integers; NULL: as real numbers */
    int code;                                  /* what varies in a family */
    bool shrinks;                              /* the run sets sizes of the caller's tensors */
    bool (*is_beyond)(const struct plan *plan); /* NULL, or whether it asks for what is not computed: results are left alone then */
    bool takes_halves;                         /* of bytes: ACL_INT4, which its function reads itself */
};

/* Every row is one of these, so that none is without checks. */
#define OPERATOR(title, letters, function, rules, ...) \
    {.name = title, .arguments = letters, .compute = function, .checks = rules, __VA_ARGS__}

/* A family's table; ends with a row without a name. */
extern const struct operator_row activationRows[], antialiasRows[], attentionRows[], choiceRows[], compareRows[], complexRows[], convolutionRows[],
    distanceRows[], embeddingRows[], factorRows[], foreachRows[], fusedAttentionRows[], gatedRows[], gridRows[], indexRows[],
    lossRows[], marginRows[], matrixRows[], normalizationRows[], orderRows[], padRows[], partRows[], placedRows[],
    pointwiseRows[], poolingRows[], quantizedRows[], randomRows[], recurrentRows[], reductionRows[], repeatedRows[], resizeRows[],
    scanRows[], sequenceRows[], shapeRows[], singularRows[], softmaxRows[], sortRows[], spaceRows[],
    specialRows[], transformerRows[], uniqueRows[], whereRows[], windowRows[];

/* Whether torch computes something: the row of that name, or NULL. */
const struct operator_row *rowNamed(const char *name);

/* NULL for an argument that was not given. */
const struct aclTensor *tensorAt(const struct plan *plan, int argument);
const struct aclTensor *listedAt(const struct plan *plan, int argument, int index);
static inline const struct argument *argumentAt(const struct plan *plan, int argument)
{
    return &plan->arguments[argument];
}
static inline double numberAt(const struct plan *plan, int argument)
{
    return plan->arguments[argument].number;
}
static inline int64_t integerAt(const struct plan *plan, int argument)
{
    return plan->arguments[argument].integer;
}
static inline const int64_t *integersAt(const struct plan *plan, int argument)
{
    return plan->integers + plan->arguments[argument].first;
}
static inline int countAt(const struct plan *plan, int argument)
{
    return plan->arguments[argument].count;
}
/* A dimension of a tensor; negative ones count from the end. */
static inline int axisOf(int64_t axis, int rank)
{
    return (int)(axis < 0 ? axis + (rank == 0 ? 1 : rank) : axis);
}

/* Sets a size of the caller's tensor, which it reads after it has synchronized. */
void operandShrink(const struct plan *plan, int operand, int axis, int64_t count);

aclError pointwise(const struct plan *plan);
/* What computes an operator with complex operands; NULL: they are refused. */
aclError (*complexOf(const struct operator_row *row))(const struct plan *plan);
/* Position in a dense tensor of `shape` of an element of `index`, with its coordinate on `axis` replaced; none is where it is -1. */
int64_t placeAlong(const struct aclTensor *index, const struct aclTensor *shape, int axis, int64_t at, int64_t number);
/* Runs `part` of the range on all cores, if there is enough to do; `weight` is what one of them costs, in operations. */
void inParallel(int64_t count, double weight, void (*part)(void *argument, int64_t from, int64_t to), void *argument);

#define UNMAPPED ACL_ERROR_RT_AICORE_EXCEPTION
#define NO_ROOM ACL_ERROR_RT_RESOURCE_ALLOC_FAIL

#endif
