//@ flags: -lopapi -lnnopbase
// Starts right at the multiples; tensors that are views from any element on; a buffer that starts inside of a segment; host memory, which the
// rule does not mean here.
#include "../operators/operators.h"
#include "aclsan.h"

int main(void) {
    begin();
    char *plain = device(4096), *media = dvpp(4096), *host = pinned(4096);
    MUST(aclrtMemset(plain, 4096, 0, 4096));
    MUST(aclrtMemset(media, 4096, 0, 4096));
    MUST(aclrtMemset(host, 4096, 0, 4096));
    aclsan_pool pool = aclsan_pool_create("plain", plain, 4096);
    aclsan_pool_alloc(pool, plain, 300);
    aclsan_pool_alloc(pool, plain + 384, 100);
    aclsan_pool pictures = aclsan_pool_create("pictures", media, 4096);
    aclsan_pool_alloc(pictures, media + 128, 100);
    aclsan_pool on_host = aclsan_pool_create("host", host, 4096);
    aclsan_pool_alloc(on_host, host + 7, 9);
    aclTensor *row = matrix(1, 5, plain + 4);
    aclDataBuffer *inside = aclCreateDataBuffer(plain + 400, 8), *behind = aclCreateDataBuffer(media + 1024, 64);
    MUST(aclDestroyTensor(row));
    MUST(aclDestroyDataBuffer(inside));
    MUST(aclDestroyDataBuffer(behind));
    MUST(aclrtFree(plain));
    MUST(acldvppFree(media));
    MUST(aclrtFreeHost(host));
    end();
    return 0;
}
