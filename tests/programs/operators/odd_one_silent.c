//@ flags: -lopapi -lnnopbase -lm
// aclnnGaussianBlur, whose phase two has six arguments of its own before the stream, some of them in other registers: linked, and taken by
// handle. The picture tells whether they all arrived.
#define _GNU_SOURCE
#include "operators.h"
#include <dlfcn.h>

typedef __typeof__(&aclnnGaussianBlur) blur;

static void run(const char *how, blur call) {
    aclrtStream queue = stream();
    float picture[64] = {0}, *from = floats(64), *to = floats(64);
    picture[27] = 1;
    MUST(aclrtMemcpy(from, sizeof picture, picture, sizeof picture, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *in = matrix(8, 8, from), *out = matrix(8, 8, to);
    aclIntArray *taps = aclCreateIntArray((int64_t[]){5, 3}, 2);
    uint64_t size;
    aclOpExecutor *executor;
    MUST(aclnnGaussianBlurGetWorkspaceSize(in, taps, 0.5, 2.5, 1, out, &size, &executor));
    char *workspace = device(size);
    MUST(call(workspace, size, executor, in, taps, 0.5, 2.5, 1, out, queue));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemcpy(picture, sizeof picture, to, sizeof picture, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%s: %.4f %.4f %.4f\n", how, picture[27], picture[28], picture[35]);
    MUST(aclDestroyTensor(in));
    MUST(aclDestroyTensor(out));
    MUST(aclDestroyIntArray(taps));
    MUST(aclrtFree(workspace));
    MUST(aclrtFree(from));
    MUST(aclrtFree(to));
    MUST(aclrtDestroyStream(queue));
}

int main(void) {
    begin();
    run("linked", aclnnGaussianBlur);
    void *library = dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);
    run("by handle", (blur)dlsym(library, "aclnnGaussianBlur"));
    run("by default", (blur)dlsym(RTLD_DEFAULT, "aclnnGaussianBlur"));
    dlclose(library);
    end();
    return 0;
}
