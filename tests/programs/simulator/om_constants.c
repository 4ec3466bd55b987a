//@ run
/* External weights: constants in files beside the model. Facts: om_format 7, 11. */
#include <sys/stat.h>

#include "om_plans.h"

/* Two constants of 32 bytes in one file, one in another. */
static const struct om_attr constants[] = {
    OM_STR("location", "elsewhere/w.bin"), OM_INT("offset", 0), OM_INT("length", 32), {.name = NULL},
    OM_STR("location", "w.bin"), OM_INT("offset", 32), OM_INT("length", 32), {.name = NULL},
    OM_STR("location", "v.bin"), {.name = NULL}, {.name = NULL},
};

static char folder[256], path[512];

static const char *under(const char *name)
{
    static char made[1024];
    snprintf(made, sizeof made, "%s/%s", folder, name);
    return made;
}

static void writeFile(const char *name, const void *data, size_t length)
{
    FILE *file = fopen(under(name), "wb");
    EXPECT("set-up", file != NULL && fwrite(data, 1, length, file) == length && fclose(file) == 0);
}

static void answer(uint32_t id, float numbers[5])
{
    void *in = deviceBlock(PLAIN_IN), *out = deviceBlock(PLAIN_OUT);
    OK(aclrtMemset(in, PLAIN_IN, 0, PLAIN_IN));
    aclmdlDataset *input = datasetOf(in, PLAIN_IN), *output = datasetOf(out, PLAIN_OUT);
    OK(aclmdlExecute(id, input, output));
    OK(aclsimRead(out, numbers, PLAIN_OUT));
    forget(input), forget(output);
    OK(aclrtFree(in));
    OK(aclrtFree(out));
}

static aclmdlConfigHandle *config(const struct bytes *file)
{
    const void *bytes = file->data;
    aclmdlConfigHandle *handle = aclmdlCreateConfigHandle();
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_LOAD_TYPE_SIZET, &(size_t){ACL_MDL_LOAD_FROM_MEM}, sizeof(size_t)));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_MEM_ADDR_PTR, &bytes, sizeof bytes));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_MEM_SIZET, &file->length, sizeof file->length));
    return handle;
}

static void loads(const struct bytes *file)
{
    uint32_t id;
    float first[5], second[5];
    size_t live = aclsimLiveBlocks(0), work, weights;
    OK(aclmdlQuerySize(path, &work, &weights));
    EXPECT("7: external weights do not count", weights == 96);
    OK(aclmdlLoadFromFile(path, &id));
    EXPECT("11: an allocation for each", aclsimLiveBlocks(0) == live + 5);
    answer(id, first);
    OK(aclmdlUnload(id));
    EXPECT("11", aclsimLiveBlocks(0) == live);
    writeFile("weight/w.bin", "0123456789012345678901234567890123456789012345678901234567890123", 64);
    aclmdlConfigHandle *handle = config(file);
    const char *place = under("weight");
    EXPECT_CODE("11: nothing says where", ACL_ERROR_GE_FAILURE, aclmdlLoadWithConfig(handle, &id));
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_WEIGHT_PATH_PTR, &place, sizeof place));
    OK(aclmdlLoadWithConfig(handle, &id));
    answer(id, second);
    EXPECT("11: their bytes are read", memcmp(first, second, sizeof first) != 0);
    OK(aclmdlUnload(id));
    void *given = deviceBlock(64);
    live = aclsimLiveBlocks(0);
    EXPECT_CODE("config", ACL_ERROR_INVALID_PARAM, aclmdlSetExternalWeightAddress(handle, "w.bin", given, 33));
    OK(aclmdlSetExternalWeightAddress(handle, "w.bin", given, 64));
    OK(aclmdlLoadWithConfig(handle, &id));
    EXPECT("the caller's memory", aclsimLiveBlocks(0) == live + 3);
    OK(aclmdlUnload(id));
    OK(aclmdlDestroyConfigHandle(handle));
    OK(aclrtFree(given));
}

int main(void)
{
    uint32_t id;
    struct om_plan plan = plainPlan('D');
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/aclsim-weights-%d", base == NULL ? "/tmp" : base, getpid());
    mkdir(folder, 0700);
    mkdir(under("weight"), 0700);
    plan.constants = constants, plan.is_coded = true;
    struct bytes file = omWrite(&plan), plain = plainModel('D');
    writeFile("m.om", file.data, file.length);
    writeFile("weight/w.bin", plain_weights, 64);
    writeFile("weight/v.bin", plain_weights, 32);
    strcpy(path, under("m.om"));
    begin();
    loads(&file);
    writeFile("weight/v.bin", plain_weights, 31);
    EXPECT_CODE("11: a file that is too short", ACL_ERROR_GE_FAILURE, aclmdlLoadFromFile(path, &id));
    remove(under("weight/v.bin"));
    EXPECT_CODE("11: a missing file", ACL_ERROR_GE_FAILURE, aclmdlLoadFromFile(path, &id));
    aclmdlConfigHandle *handle = config(&plain);
    const char *place = under("weight");
    OK(aclmdlSetConfigOpt(handle, ACL_MDL_WEIGHT_PATH_PTR, &place, sizeof place));
    EXPECT_CODE("a folder for a model that needs none", ACL_ERROR_GE_FAILURE, aclmdlLoadWithConfig(handle, &id));
    OK(aclmdlDestroyConfigHandle(handle));
    EXPECT("11: nothing is left behind", aclsimLiveBlocks(0) == 0);
    end();
    remove(under("weight/w.bin"));
    rmdir(under("weight"));
    remove(path);
    rmdir(folder);
    free(file.data), free(plain.data);
    return 0;
}
