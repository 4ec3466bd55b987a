//@ flags: -lopapi -lnnopbase
// The same as lists_left.c, fixed.
// https://github.com/ggml-org/llama.cpp/pull/16549: the lists of keys and values are destroyed after each layer.
#include "../operators/operators.h"

int main(void) {
    begin();
    float *keys = floats(64), *values = floats(64);
    for (int layer = 0; layer < 4; layer++) {
        const aclTensor *key[] = {matrix(8, 8, keys)}, *value[] = {matrix(8, 8, values)};
        aclTensorList *lists[] = {aclCreateTensorList(key, 1), aclCreateTensorList(value, 1)};
        for (int i = 0; i < 2; i++) MUST(aclDestroyTensorList(lists[i]));
    }
    MUST(aclrtFree(keys));
    MUST(aclrtFree(values));
    end();
    return 0;
}
