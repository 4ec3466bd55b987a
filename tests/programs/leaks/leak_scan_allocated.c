//@ options: leak_scan=1
// Blocks that only lost objects know, with any allocator: with the program's own, if it is built with it.
#include "../rt.h"

struct object {
    char *block;
};

__attribute__((noinline)) static void lose(void) {
    struct object *object = malloc(sizeof *object);
    object->block = device(64);
}

__attribute__((noinline)) static void forget(void) {
    char deep[16384];
    memset(deep, 0, sizeof deep);
    __asm__ volatile("" : : "r"(deep) : "memory");
}

int main(void) {
    begin();
    for (volatile int i = 0; i < 2; i++) lose();
    forget();
    end();
    return 0;
}
