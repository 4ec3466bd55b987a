// Fetches pointers to calls, one into its data and one into the heap, and answers each line of its standard input until that ends.
#include "../rt.h"
#include <dlfcn.h>

typedef int (*Malloc)(void **block, size_t size, int policy);
typedef int (*Free)(void *block);

static Malloc in_data;
static Free *volatile in_heap;

int main(void) {
    begin();
    in_data = (Malloc)dlsym(RTLD_DEFAULT, "aclrtMalloc");
    in_heap = malloc(sizeof *in_heap);
    if (in_data == NULL || in_heap == NULL) return 1;
    *in_heap = (Free)dlsym(RTLD_DEFAULT, "aclrtFree");
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        void *block = NULL;
        MUST(in_data(&block, 4096, 0));
        MUST((*in_heap)(block));
        MUST(aclrtFree(device(64)));
        puts("done");
        fflush(stdout);
    }
    end();
    return 0;
}
