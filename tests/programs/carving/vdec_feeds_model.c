// The VDEC scenario of the sub-allocation guide, done wrong twice: pictures follow each other by their width, without the decoder's stride, so
// that each overwrites the last lines of the one before; then by their exact length, without the padding, which a model reads beyond.
#include "../media/decoding.h"
#include "feeding.h"

enum { FRAMES = 2, NARROW = 384, EXACT = 432 };

static void decode(Segments *streams, char *pictures, size_t step) {
    int before = decoded;
    for (int i = 0; i < FRAMES; i++) {
        char *frame = segment(streams, CODED);
        putFrame(frame, i);
        sendFrame(frame, pictures + i * step, PICTURE);
    }
    while (decoded < before + FRAMES) {
    }
    for (int i = 0; i < FRAMES; i++) {
        feed(pictures + i * step, PICTURE);
    }
}

int main(void) {
    begin();
    loadModel();
    openChannel();
    Segments streams = segmentsOf(4096), wide = segmentsOf(1024), close = segmentsOf(2048);
    decode(&streams, wide.block, NARROW);
    decode(&streams, close.block, EXACT);
    closeChannel();
    unloadModel();
    MUST(acldvppFree(streams.block));
    MUST(acldvppFree(wide.block));
    MUST(acldvppFree(close.block));
    end();
    return 0;
}
