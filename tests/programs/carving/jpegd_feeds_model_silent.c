// The JPEGD scenario of the sub-allocation guide, done right: pictures at multiples of 128 with their padding, read by a model; slices of one
// that are rewritten; the last one, which ends where the block does.
#include "../media/jpeg.h"
#include "feeding.h"

int main(void) {
    openUnit();
    loadModel();
    size_t room = up(up(PICTURE, 32) + 32, 128);
    Segments files = segmentsOf(2048), pictures = segmentsOf(room + PICTURE);
    char *file = segment(&files, 1024);
    uint32_t length = encode(file, 2048);
    char *placed[2];
    for (int i = 0; i < 2; i++) {
        placed[i] = segment(&pictures, PICTURE);
        acldvppPicDesc *output = picture(placed[i], PICTURE);
        MUST(acldvppJpegDecodeAsync(channel, file, length, output, stream));
        MUST(aclrtSynchronizeStream(stream));
        MUST(acldvppDestroyPicDesc(output));
    }
    static char line[WIDTH];
    MUST(aclrtMemcpy(placed[0] + 4 * WIDTH, WIDTH, line, WIDTH, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(placed[1], WIDTH, line, WIDTH, ACL_MEMCPY_HOST_TO_DEVICE));
    feed(placed[0], PICTURE);
    feed(placed[1], PICTURE);
    feed(placed[0], WIDTH);
    unloadModel();
    MUST(acldvppFree(files.block));
    MUST(acldvppFree(pictures.block));
    closeUnit();
    return 0;
}
