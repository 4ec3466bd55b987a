//@ options: host_access=trap
/* Runs a made-up program, one word an operation: copies to and from page-locked blocks, records, waits, and accesses of the CPU. */
#include "../order/order.h"

enum { STREAMS = 3, EVENTS = 2, BLOCKS = 3, SIZE = 64 };
static volatile char seen;

int main(int count, char **words) {
    begin();
    aclrtStream streams[STREAMS];
    aclrtEvent events[EVENTS];
    char *blocks[BLOCKS], *there = device(SIZE * STREAMS);
    for (int i = 0; i < STREAMS; i++) streams[i] = stream();
    for (int i = 0; i < EVENTS; i++) MUST(aclrtCreateEvent(&events[i]));
    for (int i = 0; i < BLOCKS; i++) memset(blocks[i] = pinned(SIZE), i, SIZE);
    for (int i = 1; i < count; i++) {
        const int a = words[i][1] - '0', b = words[i][2] - '0';
        char *own = there + SIZE * a;
        switch (words[i][0]) {
        case 'f': MUST(aclrtMemcpyAsync(blocks[b], SIZE, own, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, streams[a])); break;
        case 't': MUST(aclrtMemcpyAsync(own, SIZE, blocks[b], SIZE, ACL_MEMCPY_HOST_TO_DEVICE, streams[a])); break;
        case 'r': MUST(aclrtRecordEvent(events[b], streams[a])); break;
        case 'w': MUST(aclrtStreamWaitEvent(streams[a], events[b])); break;
        case 's': MUST(aclrtSynchronizeStream(streams[a])); break;
        case 'e': MUST(aclrtSynchronizeEvent(events[b])); break;
        case 'd': MUST(aclrtSynchronizeDevice()); break;
        case 'l': seen = blocks[b][i]; break;
        case 'c': ((volatile char *)blocks[b])[i] = 1; break;
        default: return 8;
        }
    }
    MUST(aclrtSynchronizeDevice());
    for (int i = 0; i < BLOCKS; i++) MUST(aclrtFreeHost(blocks[i]));
    for (int i = 0; i < EVENTS; i++) MUST(aclrtDestroyEvent(events[i]));
    for (int i = 0; i < STREAMS; i++) MUST(aclrtDestroyStream(streams[i]));
    MUST(aclrtFree(there));
    end();
    return 0;
}
