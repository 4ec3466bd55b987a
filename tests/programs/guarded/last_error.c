// The thread's last error after calls that succeed, whatever a tool's own calls for guards did.
#include "../rt.h"

int main(void) {
    begin();
    for (int i = 0; i < 3; i++) {
        char *block = device(4096);
        printf("%d\n", aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
        MUST(aclrtFree(block));
    }
    // The program's own.
    printf("%d", aclrtFree((void *)64));
    printf(" %d", aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
    MUST(aclrtFree(device(4096)));
    printf(" %d\n", aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    end();
    return 0;
}
