// Destroyed in another order than created, by force, and created again at the last one's address: nothing is left.
#include "../rt.h"

int main(void) {
    begin();
    for (int step = 0; step < 3; step++) {
        aclrtStream first, second;
        aclrtEvent event;
        MUST(aclrtCreateStream(&first));
        MUST(aclrtCreateStreamWithConfig(&second, 0, 0));
        MUST(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
        MUST(aclrtDestroyStream(first));
        MUST(aclrtDestroyStreamForce(second));
        MUST(aclrtDestroyEvent(event));
    }
    end();
    return 0;
}
