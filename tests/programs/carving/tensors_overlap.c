//@ flags: -lopapi -lnnopbase
// An operator reads a vector and writes it back one element further on.
#include "../operators/operators.h"

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *data = floats(1024);
    for (int i = 0; i < 3; i++) {
        aclTensor *from = matrix(1, 100, data), *to = matrix(1, 100, data + 1);
        uint64_t size = 0;
        aclOpExecutor *executor = NULL;
        MUST(aclnnCastGetWorkspaceSize(from, ACL_FLOAT, to, &size, &executor));
        MUST(aclnnCast(NULL, 0, executor, queue));
        MUST(aclrtSynchronizeStream(queue));
        MUST(aclDestroyTensor(from));
        MUST(aclDestroyTensor(to));
    }
    MUST(aclrtFree(data));
    MUST(aclrtDestroyStream(queue));
    end();
    return 0;
}
