// The JPEGD scenario of the sub-allocation guide, done wrong: two pictures of 3072 bytes in a pool that gives out 2560 for each, one that
// starts off 128 in a pool of aclrtMalloc, and one that a copy of the next file's pixels runs into.
#include "../media/jpeg.h"
#include "feeding.h"

static void decode(char *file, uint32_t length, char *to) {
    acldvppPicDesc *output = picture(to, PICTURE);
    MUST(acldvppJpegDecodeAsync(channel, file, length, output, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(acldvppDestroyPicDesc(output));
}

int main(void) {
    openUnit();
    loadModel();
    Segments files = segmentsOf(2048), pictures = segmentsOf(8192);
    char *file = segment(&files, 1024), *plain = device(8192);
    uint32_t length = encode(file, 2048);
    decode(file, length, pictures.block);
    decode(file, length, pictures.block + 2560);
    feed(pictures.block, PICTURE);
    feed(pictures.block + 2560, PICTURE);
    decode(file, length, plain + 64);
    feed(plain + 64, PICTURE);
    decode(file, length, plain + 128);
    static char pixels[2048];
    MUST(aclrtMemcpy(plain + 3072, 2048, pixels, 2048, ACL_MEMCPY_HOST_TO_DEVICE));
    feed(plain + 128, PICTURE);
    unloadModel();
    MUST(acldvppFree(files.block));
    MUST(acldvppFree(pictures.block));
    MUST(aclrtFree(plain));
    closeUnit();
    return 0;
}
