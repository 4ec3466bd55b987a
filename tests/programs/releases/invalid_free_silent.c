// An address without a recorded allocation proves nothing: it may belong to the runtime or another layer.
#include "../rt.h"

int main(void) {
    begin();
    printf("%d\n", aclrtFree((void *)0x12c100000000));
    end();
    return 0;
}
