//@ env: ACLSIM_QUIET=1
// The same, done right: buffers of the size that they are said to have, set before a run and after the wait for it; and calls that the runtime
// refuses, which write nothing.
#include "gears.h"

int main(void) {
    aclrtStream queue;
    begin();
    MUST(aclrtCreateStream(&queue));
    char *x = device(BATCHES), *out = device(ANSWER), *gear = device(4);
    uint32_t id = loadGears();
    aclmdlDataset *input = inputs(x, BATCHES, gear, 4), *output = dataset(out, ANSWER), *narrow = inputs(x, BATCHES, gear, 3);
    MUST(aclrtMemset(x, BATCHES, 0, BATCHES));
    for (uint64_t batch = 1; batch <= 4; batch += 3) {
        MUST(aclmdlSetDynamicBatchSize(id, input, 1, batch));
        MUST(aclmdlExecuteAsync(id, input, output, queue));
        MUST(aclrtSynchronizeStream(queue));
    }
    printf("refused: %d\n", aclmdlSetDynamicBatchSize(id, narrow, 1, 4) != 0);
    printf("refused: %d\n", aclmdlSetDynamicBatchSize(id, input, 7, 4) != 0);
    printf("refused: %d\n", aclmdlSetDynamicBatchSize(id, NULL, 0, 4) != 0);
    MUST(aclmdlUnload(id));
    forget(input);
    forget(narrow);

    id = loadAipp();
    char *image = device(IMAGE), *parameters_block = device(PARAMETERS);
    input = inputs(image, IMAGE, parameters_block, PARAMETERS);
    aclmdlAIPP *set = aipp();
    MUST(aclrtMemset(image, IMAGE, 0, IMAGE));
    MUST(aclmdlSetInputAIPP(id, input, 1, set));
    MUST(aclmdlSetAIPPByInputIndex(id, input, 0, set));
    MUST(aclmdlExecute(id, input, output));
    printf("refused: %d\n", aclmdlSetAIPPByInputIndex(id, input, 1, set) != 0);
    MUST(aclmdlDestroyAIPP(set));
    MUST(aclmdlUnload(id));
    forget(input);
    forget(output);
    MUST(aclrtDestroyStream(queue));
    MUST(aclrtFree(x));
    MUST(aclrtFree(out));
    MUST(aclrtFree(gear));
    MUST(aclrtFree(image));
    MUST(aclrtFree(parameters_block));
    end();
    return 0;
}
