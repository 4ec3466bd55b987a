// The same as pictures_left.c, fixed.
// https://github.com/modelbox-ai/modelbox/pull/268: the video decoder's packets and pictures go
// with their frame.
#include "../rt.h"

static void decode(void) {
    char *packet = dvpp(4096), *picture = dvpp(64 * 64 * 3 / 2);
    MUST(aclrtMemset(packet, 4096, 0, 4096));
    MUST(aclrtMemset(picture, 64 * 64 * 3 / 2, 0, 64 * 64 * 3 / 2));
    MUST(acldvppFree(packet));
    MUST(acldvppFree(picture));
}

int main(void) {
    begin();
    for (int frame = 0; frame < 3; frame++) decode();
    end();
    return 0;
}
