//@ run
//@ link: opapi nnopbase
/* What operators' arguments must be is checked in phase one: 161001 or 161002 and a text with the argument, its value and the bound, and nothing is
 * queued. Integers at their ends are defined. Source of the codes: aclnn's documentation of return codes. */
#include <pthread.h>
#include <stdio.h>

#include "engine.h"

typedef aclTensor *tensor;

#define INTS(...) aclCreateIntArray((int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

typedef const aclIntArray *I;

/* The last failure's text has all of these. */
static void expectTold(const char *what, const char *one, const char *other)
{
    const char *told = aclGetRecentErrMsg();
    bool has = told != NULL && strstr(told, one) != NULL && strstr(told, other) != NULL;
    if (!has) {
        fprintf(stderr, "%s is told as: %s\n", what, told == NULL ? "nothing" : told);
    }
    EXPECT(what, has);
}
#define TOLD(name, types, one, other, ...) \
    do { \
        (void)aclGetRecentErrMsg(); \
        REFUSED(name, types, __VA_ARGS__); \
        expectTold(#name, one, other); \
    } while (0)

static void shapesAreChecked(void)
{
    tensor ten = DENSE(ACL_FLOAT, DIMS(10), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9).tensor;
    tensor out = DENSE(ACL_FLOAT, DIMS(20), [19] = 0).tensor;
    tensor places = DENSE(ACL_INT64, DIMS(20), [19] = 0).tensor;
    tensor square = DENSE(ACL_FLOAT, DIMS(2, 2), 1, 2, 3, 4).tensor;
    tensor row = DENSE(ACL_FLOAT, DIMS(3), 1, 2, 3).tensor;
    tensor index = DENSE(ACL_INT64, DIMS(3, 2), [5] = 0).tensor;
    tensor one = DENSE(ACL_FLOAT, DIMS(1), 0).tensor;
    tensor picture = DENSE(ACL_FLOAT, DIMS(1, 1, 2, 2), 1, 2, 3, 4).tensor;
    tensor pooled = DENSE(ACL_FLOAT, DIMS(1, 1, 3, 3), [8] = 0).tensor;
    const aclTensor *parts[] = {square, row};
    const aclTensorList *list = aclCreateTensorList(parts, 2);
    TOLD(aclnnTopk, (T, int64_t, int64_t, bool, bool, T, T, ENDS), "argument 2 is 20", "from 0 to 10", ten, 20, 0, true, true, out, places);
    TOLD(aclnnTopk, (T, int64_t, int64_t, bool, bool, T, T, ENDS), "20 elements on the axis", "argument 2 is 3", ten, 3, 0, true, true, out, places);
    TOLD(aclnnSort, (T, bool, int64_t, bool, T, T, ENDS), "the axis 1", "1 dimensions", ten, true, 1, false, out, places);
    TOLD(aclnnCumsum, (T, int64_t, int32_t, T, ENDS), "[20]", "[10]", ten, 0, ACL_FLOAT, out);
    TOLD(aclnnSoftmax, (T, int64_t, T, ENDS), "the axis -2", "1 dimensions", ten, -2, ten);
    TOLD(aclnnReduceSum, (T, I, bool, int32_t, T, ENDS), "a reduction of argument 1", "[2, 2]", square, INTS(0), false, ACL_FLOAT, row);
    TOLD(aclnnGather, (T, int64_t, T, T, ENDS), "[3, 2]", "[2, 2]", square, 1, index, index);
    TOLD(aclnnGather, (T, int64_t, T, T, ENDS), "numbers elements", "type 0", square, 0, square, square);
    TOLD(aclnnMatmul, (T, T, T, int8_t, ENDS), "[2, 2]", "[3]", square, row, square, 0);
    TOLD(aclnnCat, (const aclTensorList *, int64_t, T, ENDS), "[3]", "[2, 2]", list, 0, square);
    TOLD(aclnnRepeat, (T, I, T, ENDS), "does not make [2, 2]", "of [3]", row, INTS(2, 1), square);
    TOLD(aclnnFlip, (T, I, T, ENDS), "the axis 2", "2 dimensions", square, INTS(2), square);
    TOLD(aclnnEmbedding, (T, T, T, ENDS), "has 1 dimensions", "from 2 to 2", row, index, square);
    TOLD(aclnnAdd, (T, T, S, T, ENDS), "does not broadcast", "[10]", square, ten, real(1), ten);
    TOLD(aclnnMaxPool2dWithIndices, (T, I, I, I, I, bool, T, T, ENDS), "more windows", "[1, 1, 3, 3]", picture, INTS(1), INTS(1), INTS(0), INTS(1), false, pooled,
         pooled);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    (void)aclGetRecentErrMsg();
    EXPECT("a tensor that is missing", PHASE_ONE(aclnnAbs, (T, T, ENDS), NULL, one) == ACLNN_ERR_PARAM_NULLPTR);
    expectTold("a tensor that is missing", "argument 1", "is NULL");
    const int64_t far[] = {INT64_MAX, INT64_MAX};
    T huge = aclCreateTensor(far, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, far, 2, NULL);
    TOLD(aclnnAbs, (T, T, ENDS), "tensor 1", "no memory has", huge, huge);
}

/* torch_npu leaves an axis whole by a vector without elements or memory, of the tensor's own type: of bools, that is no mask. */
static void holesAreNoMasks(void)
{
    tensor bools = DENSE(ACL_BOOL, DIMS(2, 2), 1, 0, 0, 1).tensor;
    struct made out = make(ACL_BOOL, DIMS(2, 1), NULL, NULL, 2);
    const int64_t none[] = {0};
    const aclTensor *parts[] = {aclCreateTensor(none, 1, ACL_BOOL, NULL, 0, ACL_FORMAT_ND, none, 1, NULL), DENSE(ACL_INT64, DIMS(1), 1).tensor};
    CALL(aclnnIndex, (T, const aclTensorList *, T, ENDS), bools, aclCreateTensorList(parts, 2), out.tensor);
    EXPECT_VALUES("a hole in the indices of bools", &out, 0, 1);
}

static void integersWrapAround(void)
{
    const int64_t least = INT64_MIN, minus = -1;
    struct made a = make(ACL_INT64, DIMS(1), NULL, NULL, 1), b = make(ACL_INT64, DIMS(1), NULL, NULL, 1), out = make(ACL_INT64, DIMS(1), NULL, NULL, 1);
    OK(aclrtMemcpy(a.address, sizeof least, &least, sizeof least, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(b.address, sizeof minus, &minus, sizeof minus, ACL_MEMCPY_HOST_TO_DEVICE));
    CALL(aclnnFloorDivide, (T, T, T, ENDS), a.tensor, b.tensor, out.tensor);
    EXPECT_VALUES("the least integer by -1 is itself", &out, (double)INT64_MIN);
    CALL(aclnnRemainderTensorTensor, (T, T, T, ENDS), a.tensor, b.tensor, out.tensor);
    EXPECT_VALUES("and leaves nothing", &out, 0);
    CALL(aclnnAbs, (T, T, ENDS), a.tensor, out.tensor);
    EXPECT_VALUES("it has no absolute value", &out, (double)INT64_MIN);
}

enum { ROUNDS = 200 };
static pthread_barrier_t both;
static aclOpExecutor *shared;
static int (*second)(void *, uint64_t, aclOpExecutor *, aclrtStream);

static void *runShared(void *taken)
{
    OK(aclrtSetDevice(0));
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&both);
        *(int *)taken += second(NULL, 0, shared, stream) == 0;
        pthread_barrier_wait(&both);
    }
    return NULL;
}

static void oneOfTwoThreadsGetsAnExecutor(void)
{
    tensor in = DENSE(ACL_FLOAT, DIMS(2), 1, -1).tensor;
    tensor out = DENSE(ACL_FLOAT, DIMS(2), 0, 0).tensor;
    int taken[2] = {0, 0};
    second = (int (*)(void *, uint64_t, aclOpExecutor *, aclrtStream))dlsym(RTLD_DEFAULT, "aclnnAbs");
    pthread_barrier_init(&both, NULL, 3);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, runShared, &taken[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t size = 0;
        aclOpExecutor *executor = NULL;
        EXPECT("phase one", PHASE_ONE(aclnnAbs, (T, T, ENDS), in, out) == 0);
        shared = executor;
        pthread_barrier_wait(&both);
        pthread_barrier_wait(&both);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    EXPECT("each executor ran once", taken[0] + taken[1] == ROUNDS);
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    shapesAreChecked();
    holesAreNoMasks();
    integersWrapAround();
    oneOfTwoThreadsGetsAnExecutor();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
