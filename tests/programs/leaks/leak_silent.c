// Everything is released, some of it late: in an exit handler, after the device's last reset where only pinned memory is left.
#include "../rt.h"

static char *staging;

static void at_exit(void) {
    MUST(aclrtFreeHost(staging));
}

int main(void) {
    begin();
    atexit(at_exit);
    staging = pinned(4096);
    char *blocks[100];
    for (int i = 0; i < 100; i++) blocks[i] = device(100 + i);
    for (int i = 99; i >= 0; i--) MUST(aclrtFree(blocks[i]));
    end();
    return 0;
}
