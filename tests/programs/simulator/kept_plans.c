//@ run
//@ run: ACLSIM_STREAM_DELAY_US=200
//@ link: opapi nnopbase pthread
/* Plans that are kept under their callers' keys, in the order of calls that torch_npu's op_api_common.h has: a hit computes with the
 * addresses and the values of its own call, and whatever is in doubt is no hit. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

#include "aclnn/opdev.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "expect.h"

#define FACT "torch_npu: hit_cache, hit_cache_v2"

static aclrtStream stream;
static void *opapi;

/* Looked up as torch_npu does: by the handle of libopapi.so, whatever library has them. */
static bool (*canUse)(const char *api);
static void (*init)(void), (*unInit)(void), (*setHash)(uint64_t hash), (*setBytes)(uint8_t *key, size_t len), (*addAddress)(void *addr);
static __typeof__(&PTAGetExecCache) byHash;
static __typeof__(&PTAFindExecCache) byBytes;
static int (*initHuge)(void *arg, bool sync);
static void (*unInitHuge)(void *arg, bool sync), (*releaseHuge)(void *arg, bool sync);

static void *look(const char *name)
{
    void *found = dlsym(opapi, name);
    EXPECT(name, found != NULL);
    return found;
}

static void lookAll(void)
{
    opapi = dlopen("libopapi.so", RTLD_LAZY);
    EXPECT("dlopen", opapi != NULL);
    canUse = (__typeof__(canUse))look("CanUsePTACache");
    init = (__typeof__(init))look("InitPTACacheThreadLocal");
    unInit = (__typeof__(unInit))look("UnInitPTACacheThreadLocal");
    setHash = (__typeof__(setHash))look("SetPTAHashKey");
    setBytes = (__typeof__(setBytes))look("SetPTACacheHashKey");
    addAddress = (__typeof__(addAddress))look("AddTensorAddrToCachedList");
    byHash = (__typeof__(byHash))look("PTAGetExecCache");
    byBytes = (__typeof__(byBytes))look("PTAFindExecCache");
    initHuge = (__typeof__(initHuge))look("InitHugeMemThreadLocal");
    unInitHuge = (__typeof__(unInitHuge))look("UnInitHugeMemThreadLocal");
    releaseHuge = (__typeof__(releaseHuge))look("ReleaseHugeMem");
}

enum { SIDE = 3, COUNT = SIDE * SIDE };

static float *onDevice(float first)
{
    float values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = first + (float)i;
    }
    void *address;
    OK(aclrtMalloc(&address, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(address, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
    return address;
}

static aclTensor *square(void *address)
{
    const int64_t dims[] = {SIDE, SIDE};
    return aclCreateTensor(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 2, address);
}

static float at(const float *device, int place)
{
    float now[COUNT];
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, device, sizeof now, ACL_MEMCPY_DEVICE_TO_HOST));
    return now[place];
}

/* A key of the arguments but the addresses; keys that are asked for by hash are a hash of them. */
struct key {
    char api[16];
    int64_t sizes[2];
    float alpha;
};

static aclOpExecutor *asked(bool is_hashed, const struct key *key, void *const addresses[], int count, uint64_t *size)
{
    EXPECT(FACT, canUse(key->api));
    init();
    for (int i = 0; i < count; i++) {
        addAddress(addresses[i]);
    }
    if (!is_hashed) {
        uint8_t bytes[sizeof *key];
        memcpy(bytes, key, sizeof *key);
        setBytes(bytes, sizeof bytes);
        return byBytes(bytes, sizeof bytes, size);
    }
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof *key; i++) {
        hash = hash * 31 + ((const uint8_t *)key)[i];
    }
    setHash(hash);
    return byHash(hash, size);
}

/* out = a + alpha * b. Says whether the plan had been kept. */
static bool add(bool is_hashed, float *a, float *b, float alpha, float *out)
{
    struct key key = {"aclnnAdd", {SIDE, SIDE}, alpha};
    uint64_t size;
    aclOpExecutor *executor = asked(is_hashed, &key, (void *[]){a, b, out}, 3, &size);
    bool is_kept = executor != NULL;
    aclTensor *tensors[3] = {NULL};
    aclScalar *scalar = NULL;
    if (!is_kept) {
        EXPECT_CODE(FACT, 0, initHuge(NULL, false));
        tensors[0] = square(a), tensors[1] = square(b), tensors[2] = square(out);
        scalar = aclCreateScalar(&alpha, ACL_FLOAT);
        OK(aclnnAddGetWorkspaceSize(tensors[0], tensors[1], scalar, tensors[2], &size, &executor));
    }
    EXPECT(FACT, size == 0);
    OK(aclnnAdd(NULL, 0, executor, stream));
    for (int i = 0; i < 3; i++) {
        OK(aclDestroyTensor(tensors[i]));
    }
    if (!is_kept) {
        OK(aclDestroyScalar(scalar));
        releaseHuge(NULL, false);
        unInitHuge(NULL, false);
    }
    unInit();
    return is_kept;
}

static void hitsComputeWithTheirOwnArguments(bool is_hashed)
{
    uint64_t before = aclsimPlansReused();
    for (int round = 0; round < 6; round++) {
        float *a = onDevice((float)round), *b = onDevice(10), *out = onDevice(0), *other = onDevice(0);
        float alpha = round % 2 == 0 ? 2 : 3;
        EXPECT(FACT, add(is_hashed, a, b, alpha, out) == (round >= 2));
        /* The next one is asked for before this one has run. */
        EXPECT(FACT, add(is_hashed, out, b, alpha, other));
        EXPECT(FACT, at(out, 1) == (float)round + 1 + alpha * 11);
        EXPECT(FACT, at(other, 1) == (float)round + 1 + 2 * alpha * 11);
        OK(aclrtFree(a));
        OK(aclrtFree(b));
        OK(aclrtFree(out));
        OK(aclrtFree(other));
    }
    EXPECT(FACT, aclsimPlansReused() - before == 10);
}

static void workspacesAreAskedForAgain(void)
{
    float *a = onDevice(1), *b = onDevice(0), *out = onDevice(0);
    void *workspace;
    uint64_t size, needed = 0;
    for (int round = 0; round < 2; round++) {
        struct key key = {"aclnnMatmul", {SIDE, SIDE}, 0};
        float *in = round == 0 ? a : b;
        aclOpExecutor *executor = asked(true, &key, (void *[]){in, a, out}, 3, &size);
        EXPECT(FACT, (executor != NULL) == (round == 1));
        if (executor == NULL) {
            aclTensor *one = square(in), *other = square(a), *to = square(out);
            OK(aclnnMatmulGetWorkspaceSize(one, other, to, 0, &size, &executor));
            OK(aclDestroyTensor(one));
            OK(aclDestroyTensor(other));
            OK(aclDestroyTensor(to));
            needed = size;
        }
        EXPECT(FACT, size == needed && size > 0);
        OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclnnMatmul(workspace, size, executor, stream));
        unInit();
        EXPECT(FACT, at(out, 0) == (round == 0 ? 1 * 1 + 2 * 4 + 3 * 7 : 0 * 1 + 1 * 4 + 2 * 7));
        OK(aclrtFree(workspace));
    }
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(out));
}

/* out = self[:, index]: the list's first place is empty and has no address. */
static void holesInListsHaveNoAddress(void)
{
    __typeof__(aclnnStatus(*)(const aclTensor *, const aclTensorList *, aclTensor *, uint64_t *, aclOpExecutor **)) plan =
        (__typeof__(plan))look("aclnnIndexGetWorkspaceSize");
    __typeof__(&aclnnAdd) run = (__typeof__(run))look("aclnnIndex");
    float *self = onDevice(0), *out = onDevice(-9);
    for (int round = 0; round < 3; round++) {
        const int64_t place = round, one = 1, column[] = {SIDE, 1};
        void *index;
        OK(aclrtMalloc(&index, sizeof place, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemcpy(index, sizeof place, &place, sizeof place, ACL_MEMCPY_HOST_TO_DEVICE));
        struct key key = {"aclnnIndex", {SIDE, 1}, 0};
        uint64_t size;
        aclOpExecutor *executor = asked(false, &key, (void *[]){self, index, out}, 3, &size);
        EXPECT(FACT, (executor != NULL) == (round > 0));
        if (executor == NULL) {
            aclTensor *places[] = {NULL, aclCreateTensor(&one, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, &one, 1, index)};
            aclTensorList *list = aclCreateTensorList((const aclTensor *const *)places, 2);
            aclTensor *from = square(self), *to = aclCreateTensor(column, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, column, 2, out);
            OK(plan(from, list, to, &size, &executor));
            OK(aclDestroyTensor(from));
            OK(aclDestroyTensor(to));
            OK(aclDestroyTensorList(list));
        }
        void *workspace = NULL;
        if (size > 0) {
            OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        }
        OK(run(workspace, size, executor, stream));
        unInit();
        EXPECT(FACT, at(out, 0) == (float)round && at(out, 2) == (float)(2 * SIDE + round));
        OK(aclrtFree(index));
        OK(workspace == NULL ? ACL_SUCCESS : aclrtFree(workspace));
    }
    OK(aclrtFree(self));
    OK(aclrtFree(out));
}

/* A call that failed leaves its key on the thread; calls that set none follow. */
static void leftKeysKeepNothing(void)
{
    float *a = onDevice(1), *b = onDevice(5), *c = onDevice(0), alpha = 7;
    struct key key = {"aclnnAdd", {SIDE, SIDE}, alpha};
    aclTensor *one = square(a), *other = square(b), *out = square(c);
    aclScalar *scalar = aclCreateScalar(&alpha, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    EXPECT(FACT, asked(true, &key, (void *[]){a, b, c}, 3, &size) == NULL);
    EXPECT(FACT, aclnnAddGetWorkspaceSize(one, NULL, scalar, out, &size, &executor) != ACL_SUCCESS);
    OK(aclnnMulGetWorkspaceSize(one, other, out, &size, &executor));
    OK(aclnnMul(NULL, 0, executor, stream));
    OK(aclnnAddGetWorkspaceSize(other, other, scalar, out, &size, &executor));
    OK(aclnnAdd(NULL, 0, executor, stream));
    EXPECT(FACT, !add(true, a, b, alpha, c));
    EXPECT(FACT, at(c, 0) == 1 + 7 * 5);
    OK(aclDestroyTensor(one));
    OK(aclDestroyTensor(other));
    OK(aclDestroyTensor(out));
    OK(aclDestroyScalar(scalar));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(c));
}

/* More addresses or fewer than the plan has operands, a key of nothing, another operator under the same key. */
static void whatIsInDoubtIsNoHit(void)
{
    float *a = onDevice(1), *b = onDevice(5), *c = onDevice(0);
    struct key key = {"aclnnAdd", {SIDE, SIDE}, 11};
    uint64_t size;
    EXPECT(FACT, !add(true, a, b, 11, c) && add(true, a, b, 11, c) && at(c, 0) == 1 + 11 * 5);
    EXPECT(FACT, asked(true, &key, (void *[]){a, b}, 2, &size) == NULL);
    EXPECT(FACT, asked(true, &key, (void *[]){a, b, c, c}, 4, &size) == NULL);
    uint64_t hash = 42;
    EXPECT(FACT, canUse("aclnnSub"));
    EXPECT(FACT, byHash(hash, &size) == NULL && byHash(0, &size) == NULL && byBytes(NULL, 0, &size) == NULL);
    struct key other = key;
    strcpy(other.api, "aclnnSub");
    EXPECT(FACT, asked(false, &other, (void *[]){a, b, c}, 3, &size) == NULL);
    unInit();
    OK(setenv("DISABLE_L2_CACHE", "1", 1));
    EXPECT("opbase: CheckCacheable", !canUse("aclnnAdd"));
    OK(unsetenv("DISABLE_L2_CACHE"));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(c));
}

static void *inAnotherThread(void *context)
{
    OK(aclrtSetCurrentContext(context));
    float *a = onDevice(1), *b = onDevice(5), *c = onDevice(0);
    EXPECT("opbase: the cache is a thread's", !add(true, a, b, 2, c));
    EXPECT(FACT, add(true, a, b, 2, c) && at(c, 0) == 1 + 2 * 5);
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(c));
    return NULL;
}

/* Many keys push each other out; what comes back is right. */
static void keysPushEachOtherOut(void)
{
    float *a = onDevice(1), *b = onDevice(5), *c = onDevice(0);
    int kept = 0;
    for (int i = 0; i < 4000; i++) {
        kept += add(i % 2 == 0, a, b, (float)(i % 2000), c);
        if (i % 400 == 399) {
            EXPECT(FACT, at(c, 0) == 1 + (float)(i % 2000) * 5);
        }
    }
    EXPECT(FACT, kept > 0 && kept < 2000);
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(c));
}

/* nonzero's result has as many rows as its run finds, which the caller's tensor must tell. */
static void sizesThatTheRunSetsAreNotKept(void)
{
    __typeof__(aclnnStatus(*)(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)) plan =
        (__typeof__(plan))look("aclnnNonzeroGetWorkspaceSize");
    __typeof__(&aclnnAdd) run = (__typeof__(run))look("aclnnNonzero");
    const int64_t dims[] = {COUNT, 2};
    void *places;
    OK(aclrtMalloc(&places, sizeof(int64_t) * COUNT * 2, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int round = 0; round < 2; round++) {
        float *self = onDevice(round == 0 ? 0 : 1);
        struct key key = {"aclnnNonzero", {SIDE, SIDE}, 0};
        uint64_t size;
        aclOpExecutor *executor;
        EXPECT(FACT, asked(true, &key, (void *[]){self, places}, 2, &size) == NULL);
        aclTensor *from = square(self), *to = aclCreateTensor(dims, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, dims, 2, places);
        OK(plan(from, to, &size, &executor));
        void *workspace = NULL;
        if (size > 0) {
            OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        }
        OK(run(workspace, size, executor, stream));
        OK(aclrtSynchronizeStream(stream));
        unInit();
        int64_t *found;
        uint64_t rank;
        OK(aclGetViewShape(to, &found, &rank));
        EXPECT(FACT, found[0] == COUNT - 1 + round);
        free(found);
        OK(aclDestroyTensor(from));
        OK(aclDestroyTensor(to));
        OK(aclrtFree(self));
        OK(workspace == NULL ? ACL_SUCCESS : aclrtFree(workspace));
    }
    OK(aclrtFree(places));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    lookAll();
    hitsComputeWithTheirOwnArguments(true);
    hitsComputeWithTheirOwnArguments(false);
    workspacesAreAskedForAgain();
    holesInListsHaveNoAddress();
    leftKeysKeepNothing();
    whatIsInDoubtIsNoHit();
    aclrtContext context;
    OK(aclrtGetCurrentContext(&context));
    pthread_t thread;
    OK(pthread_create(&thread, NULL, inAnotherThread, context));
    OK(pthread_join(thread, NULL));
    keysPushEachOtherOut();
    sizesThatTheRunSetsAreNotKept();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
