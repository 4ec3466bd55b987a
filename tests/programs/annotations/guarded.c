/* A byte is written past a block, and the program asks at once. Prints nothing: the answer depends on who listens. */
#include "../rt.h"
#include "aclsan.h"

int main(void) {
    begin();
    char *block = device(1000), *fine = device(1000), byte = 1;
    (void)fine;
    MUST(aclrtMemcpy(block + 1000, 1, &byte, 1, ACL_MEMCPY_HOST_TO_DEVICE));
    size_t first = aclsan_check(), second = aclsan_check();
    int wanted = aclsan_interface() == 0 ? 0 : 1;
    if (first != (size_t)wanted || second != 0) return 3;
    MUST(aclrtFree(block));
    MUST(aclrtFree(fine));
    end();
    return 0;
}
