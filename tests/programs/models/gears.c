//@ env: ACLSIM_QUIET=1
// Gears and AIPP parameters are written into the buffer of an extra input: one that is smaller than it is said to be, one that is gone, one that a
// queued run still reads.
#include "gears.h"

int main(void) {
    aclrtStream queue;
    begin();
    MUST(aclrtCreateStream(&queue));
    char *x = device(BATCHES), *out = device(ANSWER), *gear = device(4), *gone = device(8);
    uint32_t id = loadGears();
    aclmdlDataset *wide = inputs(x, BATCHES, gear, 8), *late = inputs(x, BATCHES, gone, 8), *right = inputs(x, BATCHES, gear, 4);
    aclmdlDataset *output = dataset(out, ANSWER);
    MUST(aclrtMemset(x, BATCHES, 0, BATCHES));
    MUST(aclmdlSetDynamicBatchSize(id, wide, 1, 4)); // 8 bytes, 4 more than there are
    MUST(aclrtFree(gone));
    aclmdlSetDynamicBatchSize(id, late, 1, 4);
    MUST(aclmdlSetDynamicBatchSize(id, right, 1, 1));
    MUST(aclmdlExecuteAsync(id, right, output, queue));
    MUST(aclmdlSetDynamicBatchSize(id, right, 1, 4)); // the run may see either
    MUST(aclrtSynchronizeStream(queue));
    MUST(aclmdlUnload(id));
    forget(wide);
    forget(late);
    forget(right);

    id = loadAipp();
    char *image = device(IMAGE), *small = device(PARAMETERS / 2);
    aclmdlDataset *picture = inputs(image, IMAGE, small, PARAMETERS);
    aclmdlAIPP *set = aipp();
    MUST(aclmdlSetInputAIPP(id, picture, 1, set));        // 80 bytes more than there are
    MUST(aclmdlSetAIPPByInputIndex(id, picture, 0, set)); // the same, by the picture's input
    MUST(aclmdlDestroyAIPP(set));
    MUST(aclmdlUnload(id));
    forget(picture);
    forget(output);
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtFree(x));
    MUST(aclrtFree(out));
    MUST(aclrtFree(gear));
    MUST(aclrtFree(image));
    MUST(aclrtFree(small));
    end();
    return 0;
}
