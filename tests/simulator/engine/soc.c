/* Chip profiles. Paddings and run modes are the runtime's; core counts and memory
 * sizes are those of one common board of each chip and only serve as defaults. */
#include "settings.h"

#include <string.h>

#define GIB (1024ull * 1024 * 1024)

static const struct aclsim_soc profiles[] = {
    {
        .alias = "Ascend910B", .name = "Ascend910B3", .run_mode = ACL_HOST, .padding = 32, .devices = 8,
        .memory_bytes = 64 * GIB, .has_hbm = true, .has_giant_pages = true, .has_media_heap = true,
        .has_managed = true, .has_registration = true, .has_pools = true, .has_values = true,
        .cube_cores = 20, .vector_cores = 40,
    },
    {
        .alias = "Ascend310P", .name = "Ascend310P3", .run_mode = ACL_HOST, .padding = 32, .devices = 1,
        .memory_bytes = 24 * GIB, .has_hbm = false, .has_giant_pages = false, .has_media_heap = true,
        .cube_cores = 8, .vector_cores = 7,
    },
    {
        .alias = "Ascend950", .name = "Ascend950PR_9589", .run_mode = ACL_HOST, .padding = 0, .devices = 8,
        .memory_bytes = 112 * GIB, .has_hbm = true, .has_giant_pages = true, .has_media_heap = false,
        .has_registration = true, .has_values = true, .cube_cores = 32, .vector_cores = 64,
    },
    /* The form in which the host is the chip's own CPU: host and device share one memory. */
    {
        .alias = "Ascend310B4-RC", .name = "Ascend310B4", .run_mode = ACL_DEVICE, .padding = 32, .devices = 1,
        .memory_bytes = 8 * GIB, .has_hbm = false, .has_giant_pages = false, .has_media_heap = true,
        .cube_cores = 1, .vector_cores = 1,
    },
};

const struct aclsim_soc *socDefault(void)
{
    return &profiles[0];
}

const struct aclsim_soc *socNamed(const char *name)
{
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        if (strcmp(name, profiles[i].name) == 0 || strcmp(name, profiles[i].alias) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

const char *socNames(void)
{
    return "one of Ascend910B3, Ascend310P3, Ascend950PR_9589 (or Ascend950), Ascend310B4-RC";
}

const struct aclsim_soc *aclsimSoc(void)
{
    return settings()->soc;
}
