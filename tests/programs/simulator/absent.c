//@ run: ACLSIM_QUIET=1
//@ link: acl_dvpp acl_tdt_channel acl_tdt_queue msprofiler profapi ascend_dump
/* Libraries that the simulator does not model: their functions answer 207000, NULL, 0 or -1. Prototypes are those of hicann/runtime 681ef761
 * (acl_tdt.h, acl_tdt_queue.h, acl_prof.h, acl_dump.h), as far as they matter here. */
#include "acl/ops/acl_dvpp.h"
#include "expect.h"

void *acltdtCreateChannel(uint32_t device, const char *name);
size_t acltdtGetDatasetSize(const void *dataset);
int acltdtGetTensorTypeFromItem(const void *item);
aclError acltdtEnqueue(uint32_t queue, void *buffer, int32_t timeout);
aclError aclprofInit(const char *path, size_t length);
int32_t MsprofSetDeviceIdByGeModelIdx(uint32_t model, uint32_t device);
aclError acldumpRegCallback(void *callback, int32_t flag);
void acldumpUnregCallback(void);

int main(void)
{
    EXPECT("absent", acltdtCreateChannel(0, "channel") == NULL);
    EXPECT("absent", acltdtGetDatasetSize(NULL) == 0);
    EXPECT("absent: ACL_TENSOR_DATA_UNDEFINED", acltdtGetTensorTypeFromItem(NULL) == -1);
    EXPECT_CODE("absent", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, acltdtEnqueue(0, NULL, 0));
    EXPECT_CODE("absent", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, acltdtEnqueue(0, NULL, 0));
    EXPECT_CODE("absent", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclprofInit("path", 4));
    EXPECT_CODE("absent", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, MsprofSetDeviceIdByGeModelIdx(0, 0));
    EXPECT_CODE("absent", ACL_ERROR_RT_FEATURE_NOT_SUPPORT, acldumpRegCallback(NULL, 0));
    acldumpUnregCallback();
    EXPECT("absent: encoding of video", aclvencCreateChannelDesc() == NULL);
    return 0;
}
