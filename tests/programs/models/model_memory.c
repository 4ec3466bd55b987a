// A model's buffers and its work memory: too small, said to be larger than it is, released before it runs, between two runs, while one is queued.
#include "model.h"

int main(void) {
    begin();
    uint32_t id;
    char *work = device(64), *weights = device(64), *in = device(8), *out = device(8), *gone = device(8);
    MUST(aclmdlLoadFromMemWithMem(model, sizeof model - 1, &id, work, 64, weights, 80)); // 16 bytes more than there are
    aclmdlDataset *input = dataset(in, 8), *wide = dataset(out, 12), *late = dataset(gone, 8), *output = dataset(out, 8);
    MUST(aclmdlExecute(id, input, wide)); // 4 bytes more than there are
    MUST(aclrtFree(gone));
    aclmdlExecute(id, late, output); // reads released memory
    MUST(aclrtFree(work));
    aclmdlExecute(id, input, output); // works in released memory
    MUST(aclmdlUnload(id));
    aclrtStream queue = NULL;
    MUST(aclrtCreateStream(&queue));
    work = device(64);
    MUST(aclmdlLoadFromMemWithMem(model, sizeof model - 1, &id, work, 64, weights, 64));
    MUST(aclmdlExecuteAsync(id, input, output, queue));
    MUST(aclrtFree(work));
    aclrtSynchronizeStream(queue); // the result depends on a race
    MUST(aclmdlUnload(id));
    MUST(aclrtDestroyStream(queue));
    forget(input);
    forget(wide);
    forget(late);
    forget(output);
    MUST(aclrtFree(weights));
    MUST(aclrtFree(in));
    MUST(aclrtFree(out));
    end();
    return 0;
}
