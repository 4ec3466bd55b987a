// The JPEGD scenario of the sub-allocation guide, done right, with a record that says more than its strides take; a batch of two regions; and
// a call that the runtime refuses, which touches nothing.
#include "jpeg.h"

int main(void) {
    openUnit();
    size_t room = up(up(PICTURE, 32) + 32, 128);
    Segments files = segmentsOf(4096), pictures = segmentsOf(2 * room + PICTURE);
    char *file = segment(&files, 2048);
    uint32_t length = encode(file, 2048);
    char *decoded = segment(&pictures, PICTURE), *left = segment(&pictures, PICTURE), *right = segment(&pictures, PICTURE);
    acldvppPicDesc *output = picture(decoded, 3 * room);
    MUST(acldvppJpegDecodeAsync(channel, file, length, output, stream));
    MUST(aclrtSynchronizeStream(stream));
    acldvppBatchPicDesc *from = acldvppCreateBatchPicDesc(1), *to = acldvppCreateBatchPicDesc(2);
    char *places[] = {decoded, left, right};
    for (int i = 0; i < 3; i++) {
        acldvppPicDesc *desc = i == 0 ? acldvppGetPicDesc(from, 0) : acldvppGetPicDesc(to, i - 1);
        MUST(acldvppSetPicDescData(desc, places[i]));
        MUST(acldvppSetPicDescSize(desc, PICTURE));
        MUST(acldvppSetPicDescFormat(desc, PIXEL_FORMAT_YUV_SEMIPLANAR_420));
        MUST(acldvppSetPicDescWidth(desc, WIDTH));
        MUST(acldvppSetPicDescHeight(desc, HEIGHT));
        MUST(acldvppSetPicDescWidthStride(desc, WIDTH));
        MUST(acldvppSetPicDescHeightStride(desc, HEIGHT));
    }
    uint32_t counts[] = {2};
    acldvppRoiConfig *region = acldvppCreateRoiConfig(0, 63, 0, 15), *regions[] = {region, region};
    MUST(acldvppVpcBatchCropAsync(channel, from, counts, 1, to, regions, stream));
    MUST(aclrtSynchronizeStream(stream));
    unsigned char sample;
    MUST(aclrtMemcpy(&sample, 1, right, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("sample near 100: %d\n", sample > 90 && sample < 110);
    MUST(acldvppDestroyRoiConfig(region));
    MUST(acldvppDestroyBatchPicDesc(from));
    MUST(acldvppDestroyBatchPicDesc(to));
    MUST(acldvppDestroyPicDesc(output));
    MUST(acldvppFree(files.block));
    MUST(acldvppFree(pictures.block));
    closeUnit();
    return 0;
}
