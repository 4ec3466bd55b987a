// A file's claimed length exceeds the rest of its pool, and the picture starts so near the end of its pool that it leaves it.
#include "jpeg.h"

int main(void) {
    openUnit();
    Segments files = segmentsOf(2048), pictures = segmentsOf(2 * PICTURE);
    char *file = segment(&files, 1024);
    uint32_t length = encode(file, 2048);
    (void)segment(&pictures, PICTURE);
    acldvppPicDesc *output = picture(segment(&pictures, PICTURE), PICTURE), *whole = picture(pictures.block, PICTURE);
    MUST(acldvppJpegDecodeAsync(channel, file, length, output, stream));
    MUST(acldvppJpegDecodeAsync(channel, file, 2048 + 64, whole, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(acldvppDestroyPicDesc(output));
    MUST(acldvppDestroyPicDesc(whole));
    MUST(acldvppFree(files.block));
    MUST(acldvppFree(pictures.block));
    closeUnit();
    return 0;
}
