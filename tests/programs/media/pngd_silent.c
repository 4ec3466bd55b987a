// PNG files decoded as they should be: with strides, without, in the file's own format; and calls that the runtime refuses, which touch nothing.
#include "jpeg.h"

#include "../simulator/png_files.h"

static void decode(const uint8_t *bytes, size_t size, acldvppPixelFormat format) {
    uint32_t room;
    MUST(acldvppPngPredictDecSize(bytes, (uint32_t)size, format, &room));
    char *file = dvpp(size), *out = dvpp(room);
    acldvppPicDesc *desc = acldvppCreatePicDesc();
    MUST(aclrtMemcpy(file, size, bytes, size, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(acldvppSetPicDescData(desc, out));
    MUST(acldvppSetPicDescSize(desc, room));
    MUST(acldvppSetPicDescFormat(desc, format));
    MUST(acldvppPngDecodeAsync(channel, file, (uint32_t)size, desc, stream));
    MUST(aclrtSynchronizeStream(stream));
    printf("%u x %u\n", acldvppGetPicDescWidth(desc), acldvppGetPicDescHeight(desc));
    MUST(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_RGB_888));
    MUST(acldvppPngDecodeAsync(channel, file, (uint32_t)size, desc, stream)); // with the strides of before
    MUST(aclrtSynchronizeStream(stream));
    MUST(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_RGBA_8888));
    printf("refused: %d\n", acldvppPngDecodeAsync(channel, file, (uint32_t)size, desc, stream) != 0);
    MUST(acldvppDestroyPicDesc(desc));
    MUST(acldvppFree(file));
    MUST(acldvppFree(out));
}

int main(void) {
    openUnit();
    decode(png_rgb, sizeof png_rgb, PIXEL_FORMAT_RGB_888);
    decode(png_rgba, sizeof png_rgba, PIXEL_FORMAT_UNKNOWN);
    decode(png_gray, sizeof png_gray, PIXEL_FORMAT_UNKNOWN);
    decode(png_agray, sizeof png_agray, PIXEL_FORMAT_RGB_888);
    closeUnit();
    return 0;
}
