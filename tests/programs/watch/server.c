// A server, driven by lines of its standard input: `serve N` handles N requests, `quit` ends it, `abort` kills it, `damage` writes behind a block. Each request allocates and
// releases a workspace, fills a cache that is full after 64 requests, and forgets a small block.
#include "../rt.h"
#include "aclsan.h"

enum { WORKSPACE = 3 << 20, ENTRY = 1 << 20, ENTRIES = 64, FORGOTTEN = 64 << 10 };

static char *cache[ENTRIES];
static long requests;

static void forget(void) {
    MUST(aclrtMemset(device(FORGOTTEN), FORGOTTEN, 0, FORGOTTEN));
}

static void remember(void) {
    char **entry = &cache[requests % ENTRIES];
    if (*entry == NULL) *entry = device(ENTRY);
    MUST(aclrtMemset(*entry, ENTRY, 0, ENTRY));
}

static void handle(void) {
    aclsan_epoch("request");
    char *workspace = device(WORKSPACE);
    MUST(aclrtMemset(workspace, WORKSPACE, 0, WORKSPACE));
    remember();
    forget();
    MUST(aclrtFree(workspace));
    requests++;
}

static void wrong(void) {
    char *block = device(4096);
    MUST(aclrtFree(block));
    (void)aclrtFree(block);
}

int main(void) {
    begin();
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        long count = 0;
        if (sscanf(line, "serve %ld", &count) == 1) {
            while (count-- > 0) handle();
        } else if (strncmp(line, "wrong", 5) == 0) {
            wrong();
        } else if (strncmp(line, "abort", 5) == 0) {
            abort();
        } else if (strncmp(line, "damage", 6) == 0) {
            pinned(100)[150] = 1;
        } else {
            break;
        }
        printf("served %ld\n", requests);
        fflush(stdout);
    }
    for (int i = 0; i < ENTRIES; i++) {
        if (cache[i] != NULL) MUST(aclrtFree(cache[i]));
    }
    end();
    return 0;
}
