// Pages of the program's own are registered and never unregistered; a key is made and imported, and closed by neither side.
#include "../sharing/shared.h"

int main(void) {
    char key[65];
    begin();
    void *own = pages(65536), *seen = NULL;
    MUST(aclrtHostRegister(own, 65536, ACL_HOST_REGISTER_MAPPED, &seen));
    char *block = huge();
    for (int step = 0; step < 3; step++) {
        export_key(block, key);
    }
    import_key(key);
    end();
    return 0;
}
