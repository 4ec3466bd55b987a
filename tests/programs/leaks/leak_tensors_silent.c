//@ flags: -lopapi -lnnopbase
// Lists that take their tensors with them, and data buffers destroyed out of their dataset.
#include "../operators/operators.h"

int main(void) {
    begin();
    float *data = floats(64);
    for (int step = 0; step < 3; step++) {
        const aclTensor *tensors[] = {matrix(4, 4, data), matrix(2, 8, data)};
        MUST(aclDestroyTensorList(aclCreateTensorList(tensors, 2)));
        aclmdlDataset *set = aclmdlCreateDataset();
        MUST(aclmdlAddDatasetBuffer(set, aclCreateDataBuffer(data, 64)));
        MUST(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(set, 0)));
        MUST(aclmdlDestroyDataset(set));
    }
    MUST(aclrtFree(data));
    end();
    return 0;
}
