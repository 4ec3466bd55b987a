//@ options: guard=off
// The same as room_of_source.c, fixed.
// https://github.com/UbiquitousLearning/mllm/pull/671 (review): `destMax` is the
// target's.
#include "../rt.h"

int main(void) {
    begin();
    static char source[8192];
    size_t bytes = 4096, room = 4096;
    char *target = device(room);
    MUST(aclrtMemcpy(target, room, source, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtFree(target));
    end();
    return 0;
}
