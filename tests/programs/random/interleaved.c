/* Runs a made-up program, one word an operation, and prints every byte that its host learns: what depends on the streams' pace shows. */
#include "../order/order.h"

enum { STREAMS = 3, EVENTS = 2, BLOCKS = 3, SIZE = 64 };

static void print(const char *block) {
    char seen[SIZE];
    MUST(aclrtMemcpy(seen, SIZE, block, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%d\n", seen[0]);
}

int main(int count, char **words) {
    begin();
    aclrtStream streams[STREAMS];
    aclrtEvent events[EVENTS];
    char *blocks[BLOCKS];
    for (int i = 0; i < STREAMS; i++) streams[i] = stream();
    for (int i = 0; i < EVENTS; i++) MUST(aclrtCreateEvent(&events[i]));
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = device(SIZE);
        MUST(aclrtMemset(blocks[i], SIZE, 0, SIZE));
    }
    for (int i = 1; i < count; i++) {
        const int a = words[i][1] - '0', b = words[i][2] - '0', c = words[i][3] - '0';
        switch (words[i][0]) {
        case 'f': MUST(aclrtMemsetAsync(blocks[b], SIZE, i, SIZE, streams[a])); break;
        case 'c': MUST(aclrtMemcpyAsync(blocks[b], SIZE, blocks[c], SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[a])); break;
        case 'r': MUST(aclrtRecordEvent(events[b], streams[a])); break;
        case 'w': MUST(aclrtStreamWaitEvent(streams[a], events[b])); break;
        case 's': MUST(aclrtSynchronizeStream(streams[a])); break;
        case 'e': MUST(aclrtSynchronizeEvent(events[b])); break;
        case 'd': MUST(aclrtSynchronizeDevice()); break;
        case 'p': print(blocks[b]); break;
        default: return 8;
        }
    }
    MUST(aclrtSynchronizeDevice());
    for (int i = 0; i < BLOCKS; i++) print(blocks[i]);
    for (int i = 0; i < BLOCKS; i++) MUST(aclrtFree(blocks[i]));
    for (int i = 0; i < EVENTS; i++) MUST(aclrtDestroyEvent(events[i]));
    for (int i = 0; i < STREAMS; i++) MUST(aclrtDestroyStream(streams[i]));
    end();
    return 0;
}
