// Memory from `malloc`, which is not page-aligned, is registered.
// https://github.com/kvcache-ai/Mooncake/issues/4055 and pull/4057: `aclrtHostRegister` refuses a pool that `malloc` gave
// out, which begins behind its header.
#include "../rt.h"

int main(void) {
    begin();
    void *seen = NULL, *pool = NULL;
    size_t size = 1 << 20;
    pool = malloc(size);
    int status = aclrtHostRegister(pool, size, ACL_HOST_REGISTER_MAPPED, &seen);
    printf("%d\n", status);
    if (status == ACL_SUCCESS) MUST(aclrtHostUnregister(pool));
    free(pool);
    end();
    return 0;
}
