//@ options: guard=off
// The destination's size is taken from the source.
// https://github.com/UbiquitousLearning/mllm/pull/671 (review): `destMax` is the
// source's size, so that the runtime's check means nothing.
#include "../rt.h"

int main(void) {
    begin();
    static char source[8192];
    size_t bytes = 4096, room = 4096;
    char *target = device(room);
    MUST(aclrtMemcpy(target, sizeof source, source, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtFree(target));
    end();
    return 0;
}
