//@ run
/* Bundles: several models in a file. Facts: om_format 11; codes: the graph engine's api/acl/acl_model/model/model.cpp. */
#include "om_plans.h"

static struct bytes bundled(bool has_variables)
{
    struct bytes first = plainModel('D'), second = plainModel('C'), body = {0};
    int64_t size = 256;
    struct om_part parts[] = {
        {25, &size, 8}, {24, first.data, first.length}, {24, second.data, second.length}};
    putTable(&body, parts + !has_variables, has_variables ? 3 : 2, true);
    struct bytes file = omWithHeader('D', &body, 5, 0, false);
    free(first.data), free(second.data), free(body.data);
    return file;
}

static void loadsAll(const struct bytes *file)
{
    uint32_t bundle, id[2], other;
    size_t count = 0, live = aclsimLiveBlocks(0);
    OK(aclmdlBundleLoadFromMem(file->data, file->length, &bundle));
    OK(aclmdlBundleGetModelNum(bundle, &count));
    EXPECT("11", count == 2);
    OK(aclmdlBundleGetModelId(bundle, 0, &id[0]));
    OK(aclmdlBundleGetModelId(bundle, 1, &id[1]));
    EXPECT_CODE("bundle", ACL_ERROR_INVALID_PARAM, aclmdlBundleGetModelId(bundle, 2, &other));
    aclmdlDesc *desc = aclmdlCreateDesc();
    OK(aclmdlGetDesc(desc, id[1]));
    EXPECT("11: whole files", aclmdlGetInputSizeByIndex(desc, 0) == PLAIN_IN);
    OK(aclmdlDestroyDesc(desc));
    EXPECT_CODE("bundle: by its own calls", ACL_ERROR_INVALID_PARAM, aclmdlUnload(id[0]));
    OK(aclmdlBundleUnloadModel(bundle, id[0]));
    EXPECT_CODE("bundle", ACL_ERROR_INVALID_PARAM, aclmdlBundleUnloadModel(bundle, id[0]));
    OK(aclmdlBundleUnload(bundle));
    EXPECT("bundle", aclsimLiveBlocks(0) == live);
    EXPECT_CODE("bundle", ACL_ERROR_INVALID_BUNDLE_MODEL_ID, aclmdlBundleUnload(bundle));
    EXPECT_CODE("bundle", ACL_ERROR_INVALID_BUNDLE_MODEL_ID, aclmdlBundleGetModelNum(bundle, &count));
}

static void loadsOne(const struct bytes *file)
{
    uint32_t bundle, id;
    void *variables = deviceBlock(256), *work = deviceBlock(PLAIN_WORK), *weights = deviceBlock(96);
    EXPECT_CODE("bundle: too little", ACL_ERROR_INVALID_PARAM,
                aclmdlBundleInitFromMem(file->data, file->length, variables, 255, &bundle));
    OK(aclmdlBundleInitFromMem(file->data, file->length, variables, 256, &bundle));
    size_t live = aclsimLiveBlocks(0);
    EXPECT_CODE("bundle", ACL_ERROR_API_NOT_SUPPORT, aclmdlBundleGetModelId(bundle, 0, &id));
    EXPECT_CODE("bundle", ACL_ERROR_INVALID_PARAM, aclmdlBundleLoadModel(bundle, 2, &id));
    EXPECT_CODE("7", ACL_ERROR_GE_PARAM_INVALID, aclmdlBundleLoadModelWithMem(bundle, 0, work, PLAIN_WORK, weights, 95, &id));
    OK(aclmdlBundleLoadModelWithMem(bundle, 0, work, PLAIN_WORK, weights, 96, &id));
    EXPECT("bundle", aclsimLiveBlocks(0) == live);
    OK(aclmdlBundleUnloadModel(bundle, id));
    OK(aclmdlBundleLoadModel(bundle, 1, &id));
    EXPECT("bundle", aclsimLiveBlocks(0) == live + 2);
    OK(aclmdlBundleUnload(bundle));
    EXPECT("bundle", aclsimLiveBlocks(0) == live);
    OK(aclrtFree(variables));
    OK(aclrtFree(work));
    OK(aclrtFree(weights));
}

static void queries(const struct bytes *file)
{
    size_t number, work, weights;
    aclmdlBundleQueryInfo *info = aclmdlBundleCreateQueryInfo();
    OK(aclmdlBundleQueryInfoFromMem(file->data, file->length, info));
    OK(aclmdlBundleGetQueryModelNum(info, &number));
    EXPECT("11", number == 2);
    OK(aclmdlBundleGetVarWeightSize(info, &number));
    EXPECT("11: i64", number == 256);
    OK(aclmdlBundleGetSize(info, 1, &work, &weights));
    EXPECT("7", work == PLAIN_WORK && weights == 96);
    EXPECT_CODE("bundle", ACL_ERROR_INVALID_PARAM, aclmdlBundleGetSize(info, 2, &work, &weights));
    OK(aclmdlBundleDestroyQueryInfo(info));
}

int main(void)
{
    uint32_t bundle;
    struct bytes with = bundled(true), without = bundled(false), plain = plainModel('D');
    begin();
    loadsAll(&with), loadsAll(&without);
    loadsOne(&with);
    queries(&with);
    EXPECT_CODE("bundle: of one model", ACL_ERROR_INVALID_PARAM, aclmdlBundleLoadFromMem(plain.data, plain.length, &bundle));
    for (size_t cut = 1; cut < with.length; cut++) {
        EXPECT("bundle: cut", aclmdlBundleLoadFromMem(with.data, cut, &bundle) != ACL_SUCCESS);
    }
    EXPECT_CODE("12", ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlBundleLoadFromFile("/no/such.om", &bundle));
    EXPECT("bundle: nothing is left behind", aclsimLiveBlocks(0) == 0);
    end();
    free(with.data), free(without.data), free(plain.data);
    return 0;
}
