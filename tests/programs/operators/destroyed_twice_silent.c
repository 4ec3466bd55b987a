//@ flags: -lopapi -lnnopbase
// Tensors and buffers at addresses of earlier ones, destroyed once each; NULL, which the calls accept.
#include "operators.h"

int main(void) {
    begin();
    float *data = floats(16);
    for (int step = 0; step < 20; step++) {
        const aclTensor *tensors[] = {matrix(4, 4, data), matrix(2, 8, data)};
        if (step % 2 == 0) {
            MUST(aclDestroyTensorList(aclCreateTensorList(tensors, 2)));
        } else {
            MUST(aclDestroyTensor(tensors[1]));
            MUST(aclDestroyTensor(tensors[0]));
        }
        aclDataBuffer *buffer = aclCreateDataBuffer(data, 64);
        MUST(aclUpdateDataBuffer(buffer, data + 8, 32));
        MUST(aclDestroyDataBuffer(buffer));
    }
    MUST(aclDestroyTensor(NULL));
    printf("no buffer: %d\n", aclDestroyDataBuffer(NULL));
    MUST(aclrtFree(data));
    end();
    return 0;
}
