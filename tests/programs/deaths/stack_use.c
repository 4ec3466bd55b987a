// Measures the stack bytes that a thread's first calls use, by the painted bytes that changed. The argument `wrong` makes it do
// something that is reported.
#include "../process/process.h"
#include <sys/mman.h>

enum { BYTES = 64 * 1024, PAINT = 0xa5 };
static int is_wrong;

static void *first_calls(void *unused) {
    MUST(aclrtSetDevice(0));
    pairs(2);
    if (is_wrong) {
        aclrtFree(NULL);
    }
    return unused;
}

int main(int argc, char **argv) {
    is_wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
    unsigned char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    memset(stack, PAINT, BYTES);
    pthread_attr_init(&attributes);
    MUST(pthread_attr_setstack(&attributes, stack, BYTES));
    begin();
    MUST(pthread_create(&thread, &attributes, first_calls, NULL));
    pthread_join(thread, NULL);
    size_t untouched = 0;
    while (untouched < BYTES && stack[untouched] == PAINT) {
        untouched++;
    }
    end();
    printf("%zu\n", BYTES - untouched);
    return 0;
}
