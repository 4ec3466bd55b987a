// A PNG file's claimed length exceeds its block, and the picture starts so near the end of its pool that it leaves it.
#include "jpeg.h"

#include "../simulator/png_files.h"

enum { RGB = 128 * 3 * 32 };

static acldvppPicDesc *rgb(void *data) {
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    MUST(acldvppSetPicDescData(desc, data));
    MUST(acldvppSetPicDescSize(desc, RGB));
    MUST(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_RGB_888));
    MUST(acldvppSetPicDescWidthStride(desc, 128 * 3));
    MUST(acldvppSetPicDescHeightStride(desc, 32));
    return desc;
}

int main(void) {
    openUnit();
    Segments pictures = segmentsOf(2 * RGB);
    char *file = dvpp(sizeof png_rgb);
    MUST(aclrtMemcpy(file, sizeof png_rgb, png_rgb, sizeof png_rgb, ACL_MEMCPY_HOST_TO_DEVICE));
    (void)segment(&pictures, RGB);
    acldvppPicDesc *late = rgb(segment(&pictures, RGB)), *whole = rgb(pictures.block);
    MUST(acldvppPngDecodeAsync(channel, file, sizeof png_rgb, late, stream));
    MUST(acldvppPngDecodeAsync(channel, file, sizeof png_rgb + 64, whole, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(acldvppDestroyPicDesc(late));
    MUST(acldvppDestroyPicDesc(whole));
    MUST(acldvppFree(file));
    MUST(acldvppFree(pictures.block));
    closeUnit();
    return 0;
}
