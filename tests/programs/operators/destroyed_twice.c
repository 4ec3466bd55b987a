//@ flags: -lopapi -lnnopbase
// Tensors that went with their list are destroyed once more; so are a list and a stream.
#include "operators.h"

int main(void) {
    begin();
    float *data = floats(16);
    const aclTensor *tensors[] = {matrix(4, 4, data), matrix(2, 8, data)};
    aclTensorList *list = aclCreateTensorList(tensors, 2);
    MUST(aclDestroyTensorList(list));
    for (int i = 0; i < 2; i++) MUST(aclDestroyTensor(tensors[i]));
    MUST(aclDestroyTensorList(list));

    const aclTensor *alone[] = {matrix(4, 4, data)};
    aclTensorList *other = aclCreateTensorList(alone, 1);
    MUST(aclDestroyTensor(alone[0]));
    MUST(aclDestroyTensorList(other)); // destroys it again

    aclrtStream queue = stream();
    MUST(aclrtDestroyStream(queue));
    printf("again: %d\n", aclrtDestroyStream(queue));
    MUST(aclrtFree(data));
    end();
    return 0;
}
