//@ flags: -lopapi -lnnopbase
// Tensors that describe more than their blocks have: when created, when initialized, when given another block.
#include "operators.h"

int main(void) {
    begin();
    // A row's root for each of 4 rows, of a tensor that has 8 (llama.cpp issue 15330).
    float *roots = floats(4);
    aclTensor *one = matrix(8, 1, roots);

    // An offset in bytes, where elements count.
    float *rows = floats(64);
    const int64_t dims[] = {4, 4};
    aclTensor *two = aclCreateTensor(dims, 2, ACL_FLOAT, NULL, 16 * sizeof(float), ACL_FORMAT_ND, dims, 2, rows);

    // Its address is set later, in the middle of the block.
    aclTensor *three = matrix(6, 8, NULL);
    MUST(aclSetRawTensorAddr(three, rows));
    MUST(aclSetRawTensorAddr(three, rows + 32));

    // A private format, stored in blocks of 16 by 16 regardless of its view.
    const int64_t view[] = {4, 4}, storage[] = {1, 1, 16, 16};
    MUST(aclInitTensor(three, view, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_FRACTAL_NZ, storage, 4, rows));

    MUST(aclDestroyTensor(one));
    MUST(aclDestroyTensor(two));
    MUST(aclDestroyTensor(three));
    MUST(aclrtFree(roots));
    MUST(aclrtFree(rows));
    end();
    return 0;
}
