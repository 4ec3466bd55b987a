//@ flags: -lopapi -lnnopbase
// A kernel stops, and a later call says so: which work was queued on its stream since the last wait. The runtime's text names the element.
#include "indices.h"

#define QUEUE(operator, ...) \
    do { \
        uint64_t need; \
        aclOpExecutor *executor; \
        MUST(operator##GetWorkspaceSize(__VA_ARGS__, &need, &executor)); \
        MUST(operator(need ? workspace : NULL, need, executor, queue)); \
    } while (0)

int main(void) {
    open_queue();
    aclrtStream other = stream();
    aclTensor *table = ZEROS(100, 4), *rows = ZEROS(3, 4), *weight = ZEROS(10, 0), *chosen = ZEROS(2, 0);
    aclTensor *good = NUMBERS(1, 2, 3), *bad = NUMBERS(7, 42, 100), *places = NUMBERS(0, 9);
    char *block = device(64);

    QUEUE(aclnnEmbedding, table, good, rows);
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclrtMemsetAsync(block, 64, 0, 64, other)); // of another stream

    QUEUE(aclnnEmbedding, table, bad, rows);
    MUST(aclDestroyTensor(bad)); // whose it was is certain from here on
    QUEUE(aclnnTake, weight, places, chosen);
    printf("%d\n", aclrtSynchronizeStream(queue));
    const char *text = aclGetRecentErrMsg();
    text = text ? strstr(text, "kernel_name=") : NULL;
    printf("%.*s\n", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    for (int i = 0; i < made_count; i++) {
        if (made[i].tensor == bad) made[i].tensor = NULL;
    }

    MUST(aclrtSynchronizeStream(other));
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStream(other));
    close_queue();
    return 0;
}
