/* One object of each kind that a call makes and another destroys. */
#ifndef PROGRAMS_OPERATORS_OBJECTS_H
#define PROGRAMS_OPERATORS_OBJECTS_H
#include "operators.h"
#include "acl/acl_op.h"
#include "hccl/hccl.h"

/* The type of the handle, its name, and the call that destroys it. */
#define OBJECTS(X) \
    X(aclScalar *, scalar, aclDestroyScalar) \
    X(aclScalarList *, scalars, aclDestroyScalarList) \
    X(aclBoolArray *, bools, aclDestroyBoolArray) \
    X(aclFloatArray *, floats, aclDestroyFloatArray) \
    X(aclIntArray *, ints, aclDestroyIntArray) \
    X(aclTensorDesc *, tensor, aclDestroyTensorDesc) \
    X(aclopAttr *, attributes, aclopDestroyAttr) \
    X(aclmdlDataset *, dataset, aclmdlDestroyDataset) \
    X(aclmdlDesc *, model, aclmdlDestroyDesc) \
    X(aclmdlAIPP *, aipp, aclmdlDestroyAIPP) \
    X(aclmdlConfigHandle *, load, aclmdlDestroyConfigHandle) \
    X(aclmdlExecConfigHandle *, execution, aclmdlDestroyExecConfigHandle) \
    X(aclmdlBundleQueryInfo *, bundle, aclmdlBundleDestroyQueryInfo) \
    X(acldvppResizeConfig *, resize, acldvppDestroyResizeConfig) \
    X(acldvppRoiConfig *, region, acldvppDestroyRoiConfig) \
    X(acldvppJpegeConfig *, jpege, acldvppDestroyJpegeConfig) \
    X(acldvppChannelDesc *, channel, acldvppDestroyChannelDesc) \
    X(aclvdecChannelDesc *, decoder, aclvdecDestroyChannelDesc) \
    X(aclvdecFrameConfig *, frame, aclvdecDestroyFrameConfig) \
    X(aclrtStreamConfigHandle *, stream, aclrtDestroyStreamConfigHandle) \
    X(aclrtAllocatorDesc, allocator, aclrtAllocatorDestroyDesc) \
    X(aclrtLabel, label, aclrtDestroyLabel) \
    X(HcclComm, communicator, HcclCommDestroy)

struct objects {
#define MEMBER(type, name, destroy) type name;
    OBJECTS(MEMBER)
#undef MEMBER
};

static inline struct objects make(void) {
    float one = 1;
    bool yes = true;
    int64_t dims[] = {2, 2};
    const aclScalar *parts[] = {aclCreateScalar(&one, ACL_FLOAT)};
    int32_t device = 0;
    struct objects all = {
        .scalar = aclCreateScalar(&one, ACL_FLOAT),
        .scalars = aclCreateScalarList(parts, 1),
        .bools = aclCreateBoolArray(&yes, 1),
        .floats = aclCreateFloatArray(&one, 1),
        .ints = aclCreateIntArray(dims, 2),
        .tensor = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND),
        .attributes = aclopCreateAttr(),
        .dataset = aclmdlCreateDataset(),
        .model = aclmdlCreateDesc(),
        .aipp = aclmdlCreateAIPP(1),
        .load = aclmdlCreateConfigHandle(),
        .execution = aclmdlCreateExecConfigHandle(),
        .bundle = aclmdlBundleCreateQueryInfo(),
        .resize = acldvppCreateResizeConfig(),
        .region = acldvppCreateRoiConfig(0, 1, 0, 1),
        .jpege = acldvppCreateJpegeConfig(),
        .channel = acldvppCreateChannelDesc(),
        .decoder = aclvdecCreateChannelDesc(),
        .frame = aclvdecCreateFrameConfig(),
        .stream = aclrtCreateStreamConfigHandle(),
        .allocator = aclrtAllocatorCreateDesc(),
    };
    MUST(acldvppCreateChannel(all.channel));
    MUST(aclrtCreateLabel(&all.label));
    MUST(HcclCommInitAll(1, &device, &all.communicator));
    return all;
}

static inline void destroy(struct objects *all) {
    MUST(acldvppDestroyChannel(all->channel));
#define END(type, name, destroy) destroy(all->name);
    OBJECTS(END)
#undef END
}
#endif
