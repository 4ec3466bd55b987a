//@ run
//@ run: ACLSIM_STREAM_DELAY_US=200
//@ link: opapi nnopbase
/* Operators in two phases: what they compute, what their executors live for, and what is checked. */
#include <dlfcn.h>
#include <math.h>
#include <sys/mman.h>

#include "acl/error_codes/rt_error_codes.h"
#include "aclnn/opdev.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_gaussian_blur.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "expect.h"

static aclrtStream stream;

static void *onDevice(const void *bytes, size_t size)
{
    void *address;
    OK(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMemcpy(address, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return address;
}

static aclTensor *matrix(aclDataType type, int64_t rows, int64_t columns, void *address)
{
    const int64_t dims[] = {rows, columns};
    return aclCreateTensor(dims, 2, type, NULL, 0, ACL_FORMAT_ND, dims, 2, address);
}

static void expectFloats(const void *device, const float *wanted, int count)
{
    float now[64];
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(now, sizeof now, device, sizeof *now * (size_t)count, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < count; i++) {
        EXPECT("7: operators compute", fabsf(now[i] - wanted[i]) < 1e-5F);
    }
}

static void *workspaceOf(uint64_t size)
{
    void *workspace = NULL;
    if (size > 0) {
        OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    return workspace;
}

static void operatorsCompute(void)
{
    const float left[] = {1, 2, 3, 4, 5, 6}, right[] = {10, 20, 30}, zero[6] = {0};
    void *a = onDevice(left, sizeof left), *b = onDevice(right, sizeof right), *c = onDevice(zero, sizeof zero);
    aclTensor *one = matrix(ACL_FLOAT, 2, 3, a), *other = matrix(ACL_FLOAT, 1, 3, b), *out = matrix(ACL_FLOAT, 2, 3, c);
    float two = 2;
    aclScalar *alpha = aclCreateScalar(&two, ACL_FLOAT);
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclnnAddGetWorkspaceSize(one, other, alpha, out, &size, &executor));
    EXPECT("7: dense operands need no workspace", size == 0);
    OK(aclnnAdd(NULL, 0, executor, stream));
    expectFloats(c, (float[]){21, 42, 63, 24, 45, 66}, 6);
    OK(aclnnInplaceMulGetWorkspaceSize(out, one, &size, &executor));
    OK(aclnnInplaceMul(NULL, size, executor, stream));
    expectFloats(c, (float[]){21, 84, 189, 96, 225, 396}, 6);

    /* The transpose of `one` is a view of the same bytes, and is made dense in the workspace. */
    const int64_t dims[] = {3, 2}, strides[] = {1, 3}, storage[] = {6};
    aclTensor *turned = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, storage, 1, a);
    aclTensor *sum = matrix(ACL_FLOAT, 3, 2, c);
    OK(aclnnAddGetWorkspaceSize(turned, turned, alpha, sum, &size, &executor));
    EXPECT("7: others do", size == 1024);
    void *workspace = workspaceOf(size);
    OK(aclnnAdd(workspace, size, executor, stream));
    expectFloats(c, (float[]){3, 12, 6, 15, 9, 18}, 6);
    OK(aclrtFree(workspace));

    aclTensor *square = matrix(ACL_FLOAT, 2, 2, c);
    OK(aclnnMatmulGetWorkspaceSize(one, turned, square, 0, &size, &executor));
    workspace = workspaceOf(size);
    OK(aclnnMatmul(workspace, size, executor, stream));
    expectFloats(c, (float[]){14, 32, 32, 77}, 4);
    OK(aclrtFree(workspace));

    aclTensor *halves = matrix(ACL_FLOAT16, 2, 3, c);
    OK(aclnnCastGetWorkspaceSize(one, ACL_FLOAT16, halves, &size, &executor));
    OK(aclnnCast(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    aclFloat16 first;
    OK(aclrtMemcpy(&first, sizeof first, (char *)c + 4, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT("7: operators compute", aclFloat16ToFloat(first) == 3);

    const aclTensor *list[] = {one, other, out, turned, sum, square, halves};
    aclTensorList *all = aclCreateTensorList(list, 7);
    EXPECT_CODE("7: the list's tensors go with it", ACLNN_SUCCESS, aclDestroyTensorList(all));
    EXPECT_CODE("7: nothing tells twice from once", ACLNN_SUCCESS, aclDestroyTensor(one));
    OK(aclDestroyScalar(alpha));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(c));
}

static void generatedOperatorsCheckTheirWorkspace(void)
{
    const float x[] = {3, 4, 6, 8}, gamma[] = {1, 2}, zero[4] = {0};
    void *in = onDevice(x, sizeof x), *scale = onDevice(gamma, sizeof gamma), *y = onDevice(zero, sizeof zero);
    void *roots = onDevice(zero, 2 * sizeof *zero);
    aclTensor *tensors[] = {matrix(ACL_FLOAT, 2, 2, in), matrix(ACL_FLOAT, 1, 2, scale), matrix(ACL_FLOAT, 2, 2, y),
                            matrix(ACL_FLOAT, 2, 1, roots)};
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclnnRmsNormGetWorkspaceSize(tensors[0], tensors[1], 0, tensors[2], tensors[3], &size, &executor));
    void *workspace = workspaceOf(size);
    EXPECT_CODE("7: NnopbaseRunWithWorkspace compares", ACLNN_ERR_PARAM_INVALID,
                aclnnRmsNorm(workspace, size - 1, executor, stream));
    OK(aclnnRmsNorm(workspace, size, executor, stream));
    const float root = sqrtf(12.5F);
    expectFloats(roots, (float[]){1 / root, 0.5F / root}, 2);
    expectFloats(y, (float[]){3 / root, 8 / root, 3 / root, 8 / root}, 4);
    for (int i = 0; i < 4; i++) {
        OK(aclDestroyTensor(tensors[i]));
    }
    OK(aclrtFree(in));
    OK(aclrtFree(scale));
    OK(aclrtFree(y));
    OK(aclrtFree(roots));
    OK(aclrtFree(workspace));
}

static void executorsLiveForOnePhaseTwo(void)
{
    const float values[] = {1, 2}, zero[2] = {0};
    void *a = onDevice(values, sizeof values), *c = onDevice(zero, sizeof zero), *d = onDevice(zero, sizeof zero);
    aclTensor *in = matrix(ACL_FLOAT, 1, 2, a), *out = matrix(ACL_FLOAT, 1, 2, c);
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclnnMulGetWorkspaceSize(in, in, out, &size, &executor));
    OK(aclnnMul(NULL, 0, executor, stream));
    EXPECT_CODE("7: phase two destroyed it", ACLNN_ERR_INNER_NULLPTR, aclDestroyAclOpExecutor(executor));
    EXPECT_CODE("7", ACLNN_ERR_PARAM_NULLPTR, aclnnMul(NULL, 0, NULL, stream));
    OK(aclnnMulGetWorkspaceSize(in, in, out, &size, &executor));
    EXPECT_CODE("7: NULL with a size", ACLNN_ERR_PARAM_NULLPTR, aclnnMul(NULL, 64, executor, stream));
    EXPECT_CODE("7: a failed phase two too", ACLNN_ERR_INNER_NULLPTR, aclDestroyAclOpExecutor(executor));

    OK(aclnnMulGetWorkspaceSize(in, in, out, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    OK(aclnnMul(NULL, 0, executor, stream));
    OK(aclSetOutputTensorAddr(executor, 0, out, d));
    OK(AclSetInputTensorAddr(executor, 0, in, c));
    OK(aclnnMul(NULL, 0, executor, stream));
    expectFloats(c, (float[]){1, 4}, 2);
    expectFloats(d, (float[]){1, 16}, 2);
    OK(aclDestroyAclOpExecutor(executor));
    OK(aclDestroyTensor(in));
    OK(aclDestroyTensor(out));
    OK(aclDestroyTensor(NULL));
    OK(aclrtFree(a));
    OK(aclrtFree(c));
    OK(aclrtFree(d));
}

/* A tensor and a size that are too large for their blocks are not refused and affect the neighbor. */
static void nobodyComparesWithTheBlocks(void)
{
    float values[128];
    for (int i = 0; i < 128; i++) {
        values[i] = 1;
    }
    void *a = onDevice(values, 64), *neighbour = onDevice(values, sizeof values);
    const int64_t far = (char *)neighbour > (char *)a ? ((char *)neighbour - (char *)a) / 4 + 1 : 1;
    aclTensor *in = matrix(ACL_FLOAT, 1, far, a);
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclnnInplaceMulGetWorkspaceSize(in, in, &size, &executor));
    OK(aclnnInplaceMul(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclDestroyTensor(in));
    OK(aclrtFree(a));
    OK(aclrtFree(neighbour));
}

/* 7: the stream is not argument four. Taken by name as torch_npu does. */
static void theOddOneKeepsItsArguments(void)
{
    float picture[16] = {0}, blurred[16];
    picture[5] = 1;
    void *from = onDevice(picture, sizeof picture), *to = onDevice(picture, sizeof picture);
    aclTensor *in = matrix(ACL_FLOAT, 4, 4, from), *out = matrix(ACL_FLOAT, 4, 4, to);
    aclIntArray *taps = aclCreateIntArray((int64_t[]){3, 1}, 2);
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclnnGaussianBlurGetWorkspaceSize(in, taps, 1, 2, 1, out, &size, &executor));
    void *workspace = workspaceOf(size);
    void *library = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    __typeof__(&aclnnGaussianBlur) blur = library ? (__typeof__(blur))dlsym(library, "aclnnGaussianBlur") : NULL;
    EXPECT("6: by handle", blur != NULL);
    OK(blur(workspace, size, executor, in, taps, 1, 2, 1, out, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtMemcpy(blurred, sizeof blurred, to, sizeof blurred, ACL_MEMCPY_DEVICE_TO_HOST));
    const float side = expf(-0.5F), middle = 1 / (1 + 2 * side);
    EXPECT("7: operators compute", fabsf(blurred[5] - middle) < 1e-5F && fabsf(blurred[4] - side * middle) < 1e-5F);
    EXPECT("7: operators compute", blurred[1] == 0 && blurred[0] == 0);
    dlclose(library);
    OK(aclDestroyTensor(in));
    OK(aclDestroyTensor(out));
    OK(aclDestroyIntArray(taps));
    OK(aclrtFree(from));
    OK(aclrtFree(to));
    OK(aclrtFree(workspace));
}

/* As torch_npu's tensors in host memory, which `empty_with_swapped_memory` makes. */
static void operatorsReachRegisteredMemory(void)
{
    const size_t bytes = 64 << 10;
    float *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), zero[4] = {0};
    EXPECT("set-up", host != MAP_FAILED);
    void *seen, *c = onDevice(zero, sizeof zero);
    for (int i = 0; i < 4; i++) {
        host[i] = (float)i + 1;
    }
    OK(aclrtHostRegister(host, bytes, ACL_HOST_REGISTER_MAPPED, &seen));
    aclTensor *there = matrix(ACL_FLOAT, 2, 2, seen), *here = matrix(ACL_FLOAT, 2, 2, c);
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclnnInplaceMulGetWorkspaceSize(there, there, &size, &executor));
    OK(aclnnInplaceMul(NULL, size, executor, stream));
    OK(aclnnCastGetWorkspaceSize(there, ACL_FLOAT, here, &size, &executor));
    OK(aclnnCast(NULL, size, executor, stream));
    expectFloats(c, (float[]){1, 4, 9, 16}, 4);
    EXPECT("torch_npu: the host sees it", host[3] == 16);
    OK(aclnnInplaceMulGetWorkspaceSize(here, there, &size, &executor));
    munmap(host, bytes);
    OK(aclnnInplaceMul(NULL, size, executor, stream));
    EXPECT_CODE("3.3: unregister before munmap", ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    OK(aclrtHostUnregister(host));
    OK(aclDestroyTensor(there));
    OK(aclDestroyTensor(here));
    OK(aclrtFree(c));
}

static void expectRefusal(aclnnStatus status, const char *argument)
{
    EXPECT_CODE("simulator: no object", ACLNN_ERR_PARAM_NULLPTR, status);
    const char *text = aclGetRecentErrMsg();
    EXPECT("simulator: which, and why", text != NULL && strstr(text, argument) != NULL && strstr(text, "destroyed") != NULL);
}

/* The real library reads what was freed. */
static void destroyedObjectsAreRefused(void)
{
    const float values[4] = {1, 2, 3, 4};
    float two = 2;
    void *a = onDevice(values, sizeof values), *root = onDevice(values, sizeof values);
    aclTensor *live = matrix(ACL_FLOAT, 2, 2, a), *dead = matrix(ACL_FLOAT, 2, 2, a), *roots = matrix(ACL_FLOAT, 2, 1, root);
    const int64_t two_of[] = {2};
    aclTensor *gamma = aclCreateTensor(two_of, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, two_of, 1, a);
    aclScalar *alpha = aclCreateScalar(&two, ACL_FLOAT);
    uint64_t size = 7;
    aclOpExecutor *executor = NULL;
    OK(aclDestroyTensor(dead));
    expectRefusal(aclnnInplaceMulGetWorkspaceSize(live, dead, &size, &executor), "argument 2");
    expectRefusal(aclnnAddGetWorkspaceSize(dead, live, alpha, live, &size, &executor), "argument 1");
    EXPECT_CODE("simulator: no object", ACLNN_ERR_PARAM_NULLPTR,
                aclnnRmsNormGetWorkspaceSize(dead, gamma, 1e-6, live, roots, &size, &executor));
    OK(aclDestroyScalar(alpha));
    expectRefusal(aclnnAddGetWorkspaceSize(live, live, alpha, live, &size, &executor), "argument 3");
    EXPECT("nothing is made", executor == NULL && size == 7);
    OK(aclnnInplaceMulGetWorkspaceSize(live, live, &size, &executor));
    OK(aclnnInplaceMul(NULL, size, executor, stream));
    expectFloats(a, (float[]){1, 4, 9, 16}, 4);
    OK(aclDestroyTensor(live));
    OK(aclDestroyTensor(roots));
    OK(aclDestroyTensor(gamma));
    OK(aclrtFree(a));
    OK(aclrtFree(root));
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclnnInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    operatorsCompute();
    generatedOperatorsCheckTheirWorkspace();
    executorsLiveForOnePhaseTwo();
    nobodyComparesWithTheBlocks();
    theOddOneKeepsItsArguments();
    operatorsReachRegisteredMemory();
    destroyedObjectsAreRefused();
    EXPECT("7: nothing is left", aclsimLiveBlocks(0) == 0);
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclnnFinalize());
    OK(aclFinalize());
    return 0;
}
