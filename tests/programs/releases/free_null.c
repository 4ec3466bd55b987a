// NULL is not welcome in AscendCL.
#include "../rt.h"

int main(void) {
    begin();
    aclrtFree(NULL);
    aclrtFreeHost(NULL);
    acldvppFree(NULL);
    end();
    return 0;
}
