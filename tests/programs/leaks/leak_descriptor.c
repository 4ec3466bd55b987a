// Three streams from one place and an event are never destroyed; notes, since the process ends without having run out of any.
#include "../rt.h"

int main(void) {
    begin();
    for (int step = 0; step < 3; step++) {
        aclrtStream stream;
        MUST(aclrtCreateStream(&stream));
    }
    aclrtEvent event;
    MUST(aclrtCreateEvent(&event));
    end();
    return 0;
}
