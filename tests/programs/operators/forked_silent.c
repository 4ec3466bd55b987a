//@ flags: -lopapi -lnnopbase
// A child destroys inherited objects and works on its own device; the parent's objects remain the parent's.
#include "operators.h"
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    begin();
    aclrtStream queue = stream();
    float *block = floats(4);
    aclTensor *tensor = matrix(1, 4, block);
    pid_t child = fork();
    if (child == 0) {
        MUST(aclDestroyTensor(tensor));
        tensor = matrix(2, 2, block);
        MUST(aclDestroyTensor(tensor));
        MUST(aclrtSetDevice(1));
        char *own = device(64);
        MUST(aclrtMemset(own, 64, 0, 64));
        MUST(aclrtFree(own));
        MUST(aclrtResetDevice(1));
        return 0;
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) != child);
    MUST(aclDestroyTensor(tensor));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(queue));
    end();
    return status != 0;
}
