// The same as malloc_registered.c, fixed.
// https://github.com/kvcache-ai/Mooncake/issues/4055 and pull/4057: `aclrtHostRegister` refuses a pool off 64 KiB; this one is
// aligned.
#include "../rt.h"

int main(void) {
    begin();
    void *seen = NULL, *pool = NULL;
    size_t size = 1 << 20;
    if (posix_memalign(&pool, 65536, size) != 0) return 1;
    int status = aclrtHostRegister(pool, size, ACL_HOST_REGISTER_MAPPED, &seen);
    printf("%d\n", status);
    if (status == ACL_SUCCESS) MUST(aclrtHostUnregister(pool));
    free(pool);
    end();
    return 0;
}
