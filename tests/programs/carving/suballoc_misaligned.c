// Segments that follow each other without being rounded up: at 352 in plain memory, at 64 in media memory, at 64 where the pool promises 512,
// and a data buffer over a part of media memory.
#include "pool.h"

int main(void) {
    begin();
    char *plain = device(4096), *media = dvpp(4096), *strict = device(4096);
    aclsan_pool pool = poolOver("plain", plain, 4096);
    aclsan_pool_alloc(pool, plain, 300);
    aclsan_pool_alloc(pool, plain + 352, 100);
    aclsan_pool pictures = poolOver("pictures", media, 4096);
    aclsan_pool_alloc(pictures, media + 64, 100);
    aclsan_pool promised = poolOver("promised", strict, 4096);
    aclsan_pool_policy(promised, 512, 512);
    aclsan_pool_alloc(promised, strict + 64, 100);
    aclDataBuffer *buffer = aclCreateDataBuffer(media + 1088, 64);
    MUST(aclDestroyDataBuffer(buffer));
    MUST(aclrtFree(plain));
    MUST(acldvppFree(media));
    MUST(aclrtFree(strict));
    end();
    return 0;
}
