// Eight calls a round, each from its own site, whose blocks are never released: as many as divide the 64 calls of which one has its whole stack
// taken.
#include "../rt.h"

#define PLACE(n)                                           \
    __attribute__((noinline)) static void place##n(void) { \
        void *kept = NULL;                                 \
        MUST(aclrtMalloc(&kept, 64, 0));                   \
    }

PLACE(0) PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7)

int main(void) {
    begin();
    for (int turn = 0; turn < 2000; turn++) {
        place0(), place1(), place2(), place3(), place4(), place5(), place6(), place7();
    }
    return 0;
}
