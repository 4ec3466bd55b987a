/* Loads an offline model in each way, runs it twice, and prints its inputs and outputs as the public interface has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../simulator/expect.h"

static const char *typeName(aclDataType type)
{
    static const char *const names[] = {"FLOAT", "FLOAT16", "INT8", "INT32", "UINT8"};
    return (unsigned)type < 5 ? names[type] : "?";
}

static const char *formatName(aclFormat format)
{
    static const char *const names[] = {"NCHW", "NHWC", "ND", "NC1HWC0"};
    return (unsigned)format < 4 ? names[format] : "?";
}

static void print(const char *side, const aclmdlIODims *dims, aclDataType type, aclFormat format, size_t size)
{
    printf("  %s ('%s', '%s', [", side, dims->name, typeName(type));
    for (size_t i = 0; i < dims->dimCount; i++) {
        printf("%s%lld", i > 0 ? ", " : "", (long long)dims->dims[i]);
    }
    printf("], '%s', %zu\n", formatName(format), size);
}

/* Buffers as large as the model asks for, as its author's programs make them; open shapes have no size. */
static aclmdlDataset *buffers(aclmdlDesc *desc, size_t count, size_t (*size)(aclmdlDesc *, size_t))
{
    aclmdlDataset *made = aclmdlCreateDataset();
    for (size_t i = 0; i < count; i++) {
        void *block = NULL;
        size_t room = size(desc, i) > 0 ? size(desc, i) : 4 << 20;
        OK(aclrtMalloc(&block, room, ACL_MEM_MALLOC_HUGE_FIRST));
        OK(aclrtMemset(block, room, 1, room));
        OK(aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(block, room)));
    }
    return made;
}

static void forget(aclmdlDataset *gone)
{
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(gone); i++) {
        OK(aclrtFree(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(gone, i))));
        OK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(gone, i)));
    }
    OK(aclmdlDestroyDataset(gone));
}

/* The first output's bytes, if it has any. */
static size_t answer(uint32_t id, aclmdlDesc *desc, aclmdlDataset *input, aclmdlDataset *output, void *bytes, size_t room)
{
    OK(aclmdlExecute(id, input, output));
    size_t size = aclmdlGetNumOutputs(desc) == 0 ? 0 : aclmdlGetOutputSizeByIndex(desc, 0);
    size = size < room ? size : room;
    if (size > 0) {
        OK(aclsimRead(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(output, 0)), bytes, size));
    }
    return size;
}

static void use(uint32_t id, int prints)
{
    static unsigned char first[65536], second[65536];
    aclmdlIODims dims;
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id));
    for (size_t i = 0; prints && i < aclmdlGetNumInputs(desc); i++) {
        OK(aclmdlGetInputDims(desc, i, &dims));
        print("in ", &dims, aclmdlGetInputDataType(desc, i), aclmdlGetInputFormat(desc, i), aclmdlGetInputSizeByIndex(desc, i));
    }
    for (size_t i = 0; prints && i < aclmdlGetNumOutputs(desc); i++) {
        OK(aclmdlGetOutputDims(desc, i, &dims));
        print("out", &dims, aclmdlGetOutputDataType(desc, i), aclmdlGetOutputFormat(desc, i), aclmdlGetOutputSizeByIndex(desc, i));
    }
    aclmdlDataset *input = buffers(desc, aclmdlGetNumInputs(desc), aclmdlGetInputSizeByIndex);
    aclmdlDataset *output = buffers(desc, aclmdlGetNumOutputs(desc), aclmdlGetOutputSizeByIndex);
    size_t size = answer(id, desc, input, output, first, sizeof first);
    EXPECT("the same inputs, the same outputs", answer(id, desc, input, output, second, sizeof second) == size);
    EXPECT("the same inputs, the same outputs", memcmp(first, second, size) == 0);
    forget(input);
    forget(output);
    OK(aclmdlDestroyDesc(desc));
    OK(aclmdlUnload(id));
}

int main(int argc, char **argv)
{
    uint32_t id;
    size_t work_size = 0, weight_size = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    EXPECT("set-up", file != NULL && fseek(file, 0, SEEK_END) == 0);
    size_t length = (size_t)ftell(file);
    void *bytes = malloc(length), *work = NULL, *weights = NULL;
    rewind(file);
    EXPECT("set-up", bytes != NULL && fread(bytes, 1, length, file) == length);
    fclose(file);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    aclError code = aclmdlLoadFromFile(argv[1], &id);
    if (code != ACL_SUCCESS) {
        EXPECT_CODE("from memory too", code, aclmdlLoadFromMem(bytes, length, &id));
        printf("  refused: %d\n", code);
        return 0;
    }
    use(id, 1);
    OK(aclmdlLoadFromMem(bytes, length, &id));
    use(id, 0);
    OK(aclmdlQuerySizeFromMem(bytes, length, &work_size, &weight_size));
    EXPECT("set-up", work_size == 0 || aclrtMalloc(&work, work_size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    EXPECT("set-up", weight_size == 0 || aclrtMalloc(&weights, weight_size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    OK(aclmdlLoadFromMemWithMem(bytes, length, &id, work, work_size, weights, weight_size));
    use(id, 0);
    OK(aclmdlLoadFromFileWithMem(argv[1], &id, work, work_size, weights, weight_size));
    use(id, 0);
    free(bytes);
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
