// A program's memory by a seed: blocks of a few size classes that come and go from two call sites, and one in a thousand that is never released. Prints
// the bytes allocated, the most that were live, those live at the end, and those that the third site lost.
#include "../rt.h"

enum { SLOTS = 3000, STEPS = 40000 };

static uint64_t state;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

__attribute__((noinline)) static char *lose(size_t size) {
    char *block = device(size);
    __asm__ volatile("" : "+r"(block));
    return block;
}

__attribute__((noinline)) static char *take(size_t size) {
    char *block = device(size);
    __asm__ volatile("" : "+r"(block));
    return block;
}

int main(int count, char **arguments) {
    static struct {
        char *block;
        size_t size;
    } slots[SLOTS];
    uint64_t allocated = 0, live = 0, peak = 0, lost = 0;
    state = 0x2545f4914f6cdd1d * (count > 1 ? strtoull(arguments[1], NULL, 10) : 1);
    begin();
    size_t smallest = 64 << draw(8);
    for (int step = 0; step < STEPS; step++) {
        size_t size = smallest << draw(6);
        size += draw(size);
        int at = (int)draw(SLOTS);
        if (slots[at].block) {
            MUST(aclrtFree(slots[at].block));
            live -= slots[at].size;
            slots[at].block = NULL;
        } else {
            slots[at].block = take(size);
            slots[at].size = size;
            live += size;
            allocated += size;
        }
        if (step % 1000 == 7) {
            MUST(lose(256 << 10) == NULL);
            live += 256 << 10, allocated += 256 << 10, lost += 256 << 10;
        }
        if (live > peak) peak = live;
    }
    printf("%llu %llu %llu %llu\n", (unsigned long long)allocated, (unsigned long long)peak, (unsigned long long)live, (unsigned long long)lost);
    // Without a reset: what is live has leaked.
    exit(0);
}
