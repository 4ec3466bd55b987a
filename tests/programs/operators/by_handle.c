//@ flags: -Wl,--as-needed
// The operators are opened privately and every function looked up by handle, as torch_npu does: the choke points are seen all the same.
#include "operators.h"
#include <dlfcn.h>

static void *opapi, *base;

#define FROM(library, name) ((__typeof__(&name))dlsym(library, #name))

int main(void) {
    begin();
    opapi = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    base = dlopen("libnnopbase.so", RTLD_LAZY | RTLD_LOCAL);
    if (opapi == NULL || base == NULL) return puts(dlerror()), 9;
    aclrtStream queue = stream();
    float *a = floats(64), *b = floats(64);
    const int64_t dims[] = {8, 8}, wide[] = {8, 9};
    __typeof__(&aclCreateTensor) create = FROM(base, aclCreateTensor);
    aclTensor *in = create(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 2, a);
    aclTensor *out = create(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 2, b);
    aclTensor *past = create(wide, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, wide, 2, b);
    uint64_t size;
    aclOpExecutor *executor;
    char *workspace = device(512);
    MUST(FROM(opapi, aclnnMatmulGetWorkspaceSize)(in, in, out, 0, &size, &executor));
    MUST(FROM(opapi, aclnnMatmul)(workspace, size / 2, executor, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(FROM(base, aclDestroyTensor)(in));
    MUST(FROM(base, aclDestroyTensor)(out));
    MUST(FROM(base, aclDestroyTensor)(past));
    MUST(aclrtFree(a));
    MUST(aclrtFree(b));
    MUST(aclrtFree(workspace));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
