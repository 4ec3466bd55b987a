// Kernels of the program: the memory of their arguments is unknown outside, and nothing is reported.
#include "../rt.h"

struct args {
    float *from, *to;
};

static void kernel(void *args) {
    const struct args *taken = (const struct args *)args;
    if (taken->from == NULL) printf("nothing to do\n");
}

int main(void) {
    begin();
    aclrtStream queue;
    MUST(aclrtCreateStream(&queue));
    struct args args = {NULL, (float *)device(64)};
    void *handle = (void *)kernel;
    MUST(aclrtLaunchKernel(handle, 1, &args, sizeof args, queue));
    MUST(aclrtLaunchKernelV2(handle, 1, &args, sizeof args, NULL, queue));
    MUST(aclrtLaunchKernelWithHostArgs(handle, 1, queue, NULL, &args, sizeof args, NULL, 0));
    MUST(aclrtSynchronizeStream(queue));
    printf("by a handle of arguments: %d\n", aclrtLaunchKernelWithConfig(handle, 1, queue, NULL, NULL, NULL));
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtFree(args.to));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
