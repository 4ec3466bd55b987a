// Blocks that are named in one way each: a fill inside, a copy's source, a buffer; a small one by nothing.
#include "../rt.h"

int main(void) {
    begin();
    char *filled = device(2 << 20), *source = device(2 << 20), *data = device(2 << 20), *small = device(4096);
    MUST(aclrtMemset(filled + (1 << 20), 64, 0, 64));
    char host[64];
    MUST(aclrtMemcpy(host, 64, source + 128, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    aclDataBuffer *buffer = aclCreateDataBuffer(data, 2 << 20);
    MUST(aclDestroyDataBuffer(buffer));
    MUST(aclrtFree(small));
    MUST(aclrtFree(data));
    MUST(aclrtFree(source));
    MUST(aclrtFree(filled));
    end();
    return 0;
}
