// The VDEC scenario of the sub-allocation guide, done right: coded frames and pictures in segments of two pools, the last of which ends
// where its pool does, and records that are released in the callback.
#include "decoding.h"

enum { FRAMES = 4 };

int main(void) {
    begin();
    openChannel();
    size_t coded = up(up(CODED, 32) + 32, 128), picture = up(up(PICTURE, 32) + 32, 128);
    Segments streams = segmentsOf((FRAMES - 1) * coded + CODED), pictures = segmentsOf((FRAMES - 1) * picture + PICTURE);
    for (int i = 0; i < FRAMES; i++) {
        char *frame = segment(&streams, CODED);
        putFrame(frame, i);
        sendFrame(frame, segment(&pictures, PICTURE), PICTURE);
    }
    closeChannel();
    unsigned char row[WIDTH];
    MUST(aclrtMemcpy(row, WIDTH, pictures.block + picture, WIDTH, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%d frames, sample %d\n", decoded, row[0]);
    MUST(acldvppFree(streams.block));
    MUST(acldvppFree(pictures.block));
    end();
    return 0;
}
