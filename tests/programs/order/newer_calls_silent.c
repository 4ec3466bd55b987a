// Streams that are made by a description, records with a flag: what was recorded last counts, however it was recorded.
#include <dlfcn.h>

#include "order.h"

#pragma weak aclrtRecordEventWithFlag // 9.1.0 has none
static int is_exported(const char *name) { return dlsym(dlopen("libascendcl.so", RTLD_NOW | RTLD_NOLOAD), name) != NULL; }

static void record(aclrtEvent event, aclrtStream stream) {
    if (is_exported("aclrtRecordEventWithFlag")) {
        MUST(aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_DEFAULT));
    } else {
        MUST(aclrtRecordEvent(event, stream));
    }
}

int main(void) {
    begin();
    aclrtStreamConfigHandle *description = aclrtCreateStreamConfigHandle();
    size_t flag = ACL_STREAM_FAST_LAUNCH;
    MUST(aclrtSetStreamConfigOpt(description, ACL_RT_STREAM_FLAG, &flag, sizeof flag));
    char *block = device(N);
    for (int round = 0; round < 3; round++) {
        aclrtStream described, plain = stream();
        MUST(aclrtCreateStreamV2(&described, description));
        aclrtEvent event = recorded(described);
        MUST(aclrtMemsetAsync(block, N, round, N, plain));
        record(event, plain);
        MUST(aclrtStreamWaitEvent(described, event));
        MUST(aclrtMemsetAsync(block, N, round, N, described));
        record(event, described);
        MUST(aclrtSynchronizeEvent(event));
        MUST(aclrtDestroyEvent(event));
        // Each is destroyed where the next one of the other kind may lie.
        MUST(aclrtDestroyStream(described));
        MUST(aclrtDestroyStream(plain));
    }
    MUST(aclrtFree(block));
    MUST(aclrtDestroyStreamConfigHandle(description));
    end();
    return 0;
}
