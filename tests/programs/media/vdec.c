// The pool is as large as its segments without the room that the strides of a picture need: the last picture leaves it. Then a coded frame
// is decoded from a pool that was already released.
#include "decoding.h"

int main(void) {
    begin();
    openChannel();
    Segments streams = segmentsOf(2 * 1024), pictures = segmentsOf(PICTURE + WIDTH * HEIGHT * 3 / 2 + 128);
    char *first = segment(&streams, CODED), *second = segment(&streams, CODED);
    putFrame(first, 0);
    putFrame(second, 1);
    char *one = segment(&pictures, PICTURE), *two = segment(&pictures, PICTURE);
    sendFrame(first, one, PICTURE);
    sendFrame(second, two, PICTURE);
    Segments gone = segmentsOf(1024);
    char *late = segment(&gone, CODED);
    putFrame(late, 2);
    MUST(acldvppFree(gone.block));
    sendFrame(late, one, PICTURE);
    closeChannel();
    MUST(acldvppFree(streams.block));
    MUST(acldvppFree(pictures.block));
    end();
    return 0;
}
