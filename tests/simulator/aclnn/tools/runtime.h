/* The runtime's part of the fuzzer: memory, whose bounds the sanitizer knows, and a stream that runs a task at once. */
#ifndef SIMULATOR_ACLNN_RUNTIME_H
#define SIMULATOR_ACLNN_RUNTIME_H

#include <stddef.h>

enum { TENSORS = 128 };

/* What the call's tensors and its workspace are in. */
struct storage {
    unsigned char *bytes;
    size_t size;
};
extern struct storage storages[TENSORS];
extern int storage_count;

/* The text of the last refusal. */
extern char refusal[512];

#endif
