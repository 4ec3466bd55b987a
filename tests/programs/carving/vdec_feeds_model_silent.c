// The VDEC scenario of the sub-allocation guide, done right: pictures in segments that the strides and the padding were counted into, read by a
// model one by one; then all of them as one batch; then the same pool again, cut up otherwise.
#include "../media/decoding.h"
#include "feeding.h"

enum { FRAMES = 3 };

int main(void) {
    begin();
    loadModel();
    openChannel();
    Segments streams = segmentsOf(8192), pictures = segmentsOf(FRAMES * 512);
    char *placed[FRAMES];
    for (int round = 0; round < 2; round++) {
        pictures.used = streams.used = 0;
        for (int i = 0; i < FRAMES; i++) {
            char *frame = segment(&streams, CODED);
            putFrame(frame, i);
            placed[i] = segment(&pictures, PICTURE);
            sendFrame(frame, placed[i], PICTURE);
        }
        while (decoded < (round + 1) * FRAMES) {
        }
        for (int i = 0; i < FRAMES; i++) {
            feed(placed[i], PICTURE);
        }
        feed(pictures.block, FRAMES * 512);
    }
    sendFrame(streams.block, pictures.block + 256, PICTURE);
    closeChannel();
    feed(pictures.block + 256, PICTURE);
    unloadModel();
    MUST(acldvppFree(streams.block));
    MUST(acldvppFree(pictures.block));
    end();
    return 0;
}
