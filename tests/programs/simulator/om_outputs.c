//@ run
//@ run: ACLSIM_QUIET=1
/* Output values of offline models: ACLSIM_OM_OUTPUT, ACLSIM_OM_MODEL, and the line that says what they are. The simulator's own
 * (simulator/README.md). */
#include "om_plans.h"

static const struct om_tensor_plan pair[] = {
    {.name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 1, .dims = {2}, .size = 8, .padded = 64},
};
static char *in, *out;

static void run(const struct bytes *file, size_t in_size, void *result, size_t out_size)
{
    uint32_t id;
    OK(aclmdlLoadFromMem(file->data, file->length, &id));
    aclmdlDataset *input = datasetOf(in, in_size), *output = datasetOf(out, out_size);
    OK(aclrtMemset(out, 256, 0xee, 256));
    OK(aclmdlExecute(id, input, output));
    OK(aclsimRead(out, result, out_size));
    forget(input), forget(output);
    OK(aclmdlUnload(id));
}

static const char *writeFile(const char *name, const void *data, size_t length)
{
    static char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/aclsim-%d-%s", folder == NULL ? "/tmp" : folder, getpid(), name);
    FILE *file = fopen(path, "wb");
    EXPECT("set-up", file != NULL && fwrite(data, 1, length, file) == length && fclose(file) == 0);
    return path;
}

/* y = relu(x) of two floats. */
static struct bytes onnx(void)
{
    struct bytes graph = {0}, node = {0}, model = {0};
    putText(&node, 1, "x"), putText(&node, 2, "y"), putText(&node, 4, "Relu");
    putMessage(&graph, 1, &node);
    for (int end = 11; end <= 12; end++) {
        struct bytes size = {0}, shape = {0}, tensor = {0}, type = {0}, info = {0};
        putInteger(&size, 1, 2);
        putMessage(&shape, 1, &size);
        putInteger(&tensor, 1, 1);
        putMessage(&tensor, 2, &shape);
        putMessage(&type, 1, &tensor);
        putText(&info, 1, end == 11 ? "x" : "y");
        putMessage(&info, 2, &type);
        putMessage(&graph, end, &info);
        free(size.data), free(shape.data), free(tensor.data), free(type.data), free(info.data);
    }
    putMessage(&model, 7, &graph);
    free(graph.data), free(node.data);
    return model;
}

/* Standard error of one run. */
static size_t said(const struct bytes *file, char *text, size_t room)
{
    uint8_t ignored[PLAIN_OUT];
    int ends[2], before = dup(2);
    EXPECT("set-up", pipe(ends) == 0 && dup2(ends[1], 2) == 2);
    run(file, PLAIN_IN, ignored, sizeof ignored);
    run(file, PLAIN_IN, ignored, sizeof ignored);
    dup2(before, 2);
    close(ends[1]), close(before);
    ssize_t length = read(ends[0], text, room - 1);
    close(ends[0]);
    text[length] = 0;
    return (size_t)length;
}

int main(void)
{
    struct bytes file = plainModel('D'), relu = onnx();
    struct om_plan two = plainPlan('C'), integers = plainPlan('D');
    struct om_tensor_plan flags = plain_output[0], whole = plain_output[0];
    float numbers[5], again[5];
    int32_t counts[5];
    char text[2048];
    begin();
    in = deviceBlock(256), out = deviceBlock(256);
    OK(aclrtMemset(in, 256, 0, 256));
    size_t length = said(&file, text, sizeof text);
    bool is_quiet = getenv("ACLSIM_QUIET") != NULL;
    EXPECT("once for each model", is_quiet ? length == 0 : strstr(text, "not the chip's numbers") != NULL);
    EXPECT("once for each model", is_quiet || strchr(text, '\n') == text + length - 1);
    run(&file, PLAIN_IN, numbers, sizeof numbers);
    setenv("ACLSIM_OM_OUTPUT", "pattern", 1);
    run(&file, PLAIN_IN, again, sizeof again);
    EXPECT("the pattern is the default", memcmp(numbers, again, sizeof again) == 0 && !isFilled(numbers, 0, sizeof numbers));
    whole.dtype = OM_DT_INT32, integers.output = &whole;
    struct bytes counting = omWrite(&integers);
    run(&counting, PLAIN_IN, counts, sizeof counts);
    for (int i = 0; i < 5; i++) {
        EXPECT("integers below 100", counts[i] >= 0 && counts[i] < 100);
    }
    flags.dtype = 11, integers.output = &flags;
    struct bytes deciding = omWrite(&integers);
    run(&deciding, PLAIN_IN, text, 5);
    for (int i = 0; i < 5; i++) {
        EXPECT("flags", text[i] == 0 || text[i] == 1);
    }
    setenv("ACLSIM_OM_OUTPUT", "zeros", 1);
    run(&file, PLAIN_IN, numbers, sizeof numbers);
    EXPECT("zeros", isFilled(numbers, 0, sizeof numbers));
    setenv("ACLSIM_OM_OUTPUT", writeFile("out", "0123456789", 10), 1);
    run(&file, PLAIN_IN, numbers, sizeof numbers);
    EXPECT("a file's bytes, and zeros", memcmp(numbers, "0123456789", 10) == 0 && isFilled((char *)numbers + 10, 0, 10));
    remove(getenv("ACLSIM_OM_OUTPUT"));
    unsetenv("ACLSIM_OM_OUTPUT");
    two.input = two.output = pair;
    struct bytes pairs = omWrite(&two);
    const float values[] = {-1, 2};
    OK(aclrtMemcpy(in, 8, values, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    setenv("ACLSIM_OM_MODEL", writeFile("model.onnx", relu.data, relu.length), 1);
    run(&pairs, 8, numbers, 8);
    EXPECT("an ONNX file of the same signature computes", numbers[0] == 0 && numbers[1] == 2);
    run(&file, PLAIN_IN, again, sizeof again);
    EXPECT("of another signature it does not", again[0] >= 0 && again[0] < 1 && again[4] < 1);
    remove(getenv("ACLSIM_OM_MODEL"));
    OK(aclrtFree(in));
    OK(aclrtFree(out));
    EXPECT("all memory goes", aclsimLiveBlocks(0) == 0);
    end();
    free(file.data), free(relu.data), free(counting.data), free(deciding.data), free(pairs.data);
    return 0;
}
