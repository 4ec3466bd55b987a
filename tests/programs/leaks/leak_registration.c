// Pages of the program's own are registered and never unregistered.
#include "../rt.h"

int main(void) {
    begin();
    void *pages = aligned_alloc(65536, 65536), *seen = NULL;
    MUST(aclrtHostRegister(pages, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
    end();
    return 0;
}
