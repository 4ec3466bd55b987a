// Registered and unregistered, twice over the same pages.
#include "../rt.h"

int main(void) {
    begin();
    void *pages = aligned_alloc(65536, 65536), *seen = NULL;
    for (int step = 0; step < 2; step++) {
        MUST(aclrtHostRegister(pages, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
        MUST(aclrtHostUnregister(pages));
    }
    free(pages);
    end();
    return 0;
}
