//@ flags: -lopapi -lnnopbase
// Tensors that reach the last byte of their blocks and no further, however large the numbers look.
#include "operators.h"

static aclTensor *view(const int64_t *dims, const int64_t *strides, int64_t offset, int64_t storage, aclDataType type, void *data) {
    return aclCreateTensor(dims, 2, type, strides, offset, ACL_FORMAT_ND, &storage, 1, data);
}

int main(void) {
    begin();
    float *rows = floats(64);
    const int64_t eight[] = {8, 8}, turned[] = {1, 8}, corner[] = {4, 4}, wide[] = {8, 1}, spread[] = {0, 1}, empty[] = {0, 8};
    const int64_t many[] = {1000, 64}, backwards[] = {-8, 1}, packed[] = {16, 32};
    static char host[16];
    aclTensor *tensors[] = {
        matrix(8, 8, rows),
        view(eight, turned, 0, 64, ACL_FLOAT, rows),               // a transpose
        view(corner, wide, 36, 64, ACL_FLOAT, rows),               // the last corner of the matrix: 36 + 3 * 8 + 3 + 1 = 64
        view(many, spread, 0, 64, ACL_FLOAT, rows),                // one row a thousand times
        view(empty, NULL, 1000, 64, ACL_FLOAT, rows),              // no elements at all
        view(eight, NULL, 0, 64 * sizeof(float), ACL_FLOAT, rows), // a storage in bytes, which nothing reads
        view(eight, backwards, 56, 64, ACL_FLOAT, rows),           // from the last row to the first
        view(packed, NULL, 0, 512, ACL_INT4, rows),                // two in a byte
        view(corner, NULL, 0, 16, ACL_FLOAT, host),                // untracked host memory
        view(eight, NULL, 0, 64, ACL_FLOAT, NULL),                 // no address yet
        matrix(2, 2, rows + 60),                                   // the end of the block
    };
    const int64_t tiles[] = {1, 1, 8, 16};
    aclTensor *private = aclCreateTensor(eight, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_FRACTAL_NZ, tiles, 4, rows);
    MUST(aclDestroyTensor(private));
    aclTensorList *all = aclCreateTensorList((const aclTensor *const *)tensors, sizeof tensors / sizeof *tensors);
    MUST(aclDestroyTensorList(all));
    MUST(aclDestroyTensor(NULL));
    MUST(aclDestroyTensorList(NULL));
    MUST(aclrtFree(rows));
    end();
    return 0;
}
