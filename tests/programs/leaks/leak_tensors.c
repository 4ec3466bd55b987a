//@ flags: -lopapi -lnnopbase
// Lists of tensors that are never destroyed after their operator (llama.cpp pull 16549), and data buffers.
#include "../operators/operators.h"

int main(void) {
    begin();
    float *data = floats(64);
    for (int step = 0; step < 3; step++) {
        const aclTensor *tensors[] = {matrix(4, 4, data), matrix(2, 8, data)};
        aclTensorList *list = aclCreateTensorList(tensors, 2);
        if (step == 0) MUST(aclDestroyTensorList(list));
    }
    aclCreateDataBuffer(data, 64);
    MUST(aclrtFree(data));
    end();
    return 0;
}
