/* A small classifier, as many are written: pictures are decoded, sent through a network, answers are read back.
 *
 * It runs to its end, prints plausible answers and exits with 0. It also has seven memory mistakes, marked MISTAKE 1 to 7, none of which
 * AscendCL reports to a program that does not look: each is one that real programs have had. `aclsan demo` runs it on the simulator. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/ops/acl_dvpp.h"
#include "aclsim.h" /* stands for the operator library: a "kernel" that writes where it is told */

enum {
    FRAMES = 4,
    PICTURE_BYTES = 64 * 64 * 3,
    CLASSES = 100,
    LANES = 64, /* scores that the operator handles at once */
    WEIGHT_BYTES = 1 << 20,
};

struct model {
    void *weights;
    void *labels;
    aclrtStream stream;
};

static int load_model(struct model *model)
{
    if (aclrtMalloc(&model->weights, WEIGHT_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMalloc(&model->labels, CLASSES * 16, ACL_MEM_MALLOC_NORMAL_ONLY) != ACL_SUCCESS) {
        return -1;
    }
    aclrtMemset(model->weights, WEIGHT_BYTES, 1, WEIGHT_BYTES);
    return aclrtCreateStream(&model->stream) == ACL_SUCCESS ? 0 : -1;
}

/* Decodes one picture into memory of the media unit, and scales it into `input`. */
static void decode_picture(int frame, void *input)
{
    void *picture = NULL;
    unsigned char bytes[PICTURE_BYTES];

    memset(bytes, frame, sizeof bytes);
    if (acldvppMalloc(&picture, sizeof bytes) != ACL_SUCCESS) {
        return;
    }
    aclrtMemcpy(picture, sizeof bytes, bytes, sizeof bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(input, sizeof bytes, picture, sizeof bytes, ACL_MEMCPY_DEVICE_TO_DEVICE);

    /* MISTAKE 1: the block came from acldvppMalloc, so acldvppFree has to take it back. The runtime accepts it all the same;
     * the media unit's own pool is what goes wrong, later and elsewhere. */
    aclrtFree(picture);
}

/* The network: writes one score for each class into `scores`. */
static void infer(const struct model *model, void *scores)
{
    /* MISTAKE 2: the operator writes whole vectors of LANES scores, so 128 of them, and `scores` has room for 100. The memory after the
     * block may be another block. Nobody on the host sees a kernel write; the guard region after the block shows it at the release. */
    size_t vectors = (CLASSES + LANES - 1) / LANES;

    aclsimLaunchWrite(scores, vectors * LANES * sizeof(float), 0x3f, model->stream);
    aclrtSynchronizeStream(model->stream);
}

static int read_answer(const void *scores)
{
    float answer[CLASSES];

    aclrtMemcpy(answer, sizeof answer, scores, sizeof answer, ACL_MEMCPY_DEVICE_TO_HOST);
    return answer[0] > 0.5f ? 7 : 0;
}

static void classify(const struct model *model, int frame)
{
    void *input = NULL;
    void *scores = NULL;
    void *scratch = NULL;

    if (aclrtMalloc(&input, PICTURE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMalloc(&scores, CLASSES * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMalloc(&scratch, 4096, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
        return;
    }
    decode_picture(frame, input);
    infer(model, scores);
    printf("picture %d: class %d\n", frame, read_answer(scores));
    aclrtFree(input);
    aclrtFree(scores);
    if (frame % 2 != 0) {
        /* MISTAKE 3: the early way out keeps `scratch`, every second picture. */
        return;
    }
    aclrtFree(scratch);
}

static void rename_labels(const struct model *model)
{
    char names[CLASSES * 16 + 64];

    memset(names, 'x', sizeof names);
    /* MISTAKE 4: `destMax` repeats the size of the source. It is the only bound that the runtime checks, and it is the caller's word:
     * 64 bytes land behind the block. */
    aclrtMemcpy(model->labels, sizeof names, names, sizeof names, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void unload_model(struct model *model)
{
    char first[16];

    aclrtFree(model->labels);
    /* MISTAKE 5: one last look at the labels, after they were released. */
    aclrtMemcpy(first, sizeof first, model->labels, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST);
    /* MISTAKE 6: somebody else cleans up too, and nobody looks at the return code. By then the address may be another block's. */
    aclrtFree(model->labels);
    aclrtDestroyStream(model->stream);
    /* MISTAKE 7: `weights` is forgotten. The reset in main drops it, so nobody misses it until the day that a model is loaded twice. */
}

int main(void)
{
    struct model model = {0};

    setvbuf(stdout, NULL, _IOLBF, 0); /* answers and findings in their order, into a pipe too */
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS || load_model(&model) != 0) {
        fprintf(stderr, "no device to run on\n");
        return 1;
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        classify(&model, frame);
    }
    rename_labels(&model);
    unload_model(&model);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
