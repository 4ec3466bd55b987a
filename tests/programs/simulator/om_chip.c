//@ run
//@ run: ACLSIM_SOC=Ascend310P3
//@ run: ACLSIM_SOC=Ascend310B4-RC
/* The chip that a model was compiled for. Fact: om_format 12, soc_version of another chip; that a chip which nobody chose
 * refuses none is the simulator's choice. */
#include "om_plans.h"

static aclError load(const char *soc)
{
    uint32_t id;
    struct om_attr model[] = {OM_STR("soc_version", soc), OM_INT("memory_size", 64), {.name = NULL}};
    struct om_plan plan = plainPlan('D');
    plan.model = model;
    struct bytes file = omWrite(&plan);
    aclError code = aclmdlLoadFromMem(file.data, file.length, &id);
    EXPECT("set-up", code != ACL_SUCCESS || aclmdlUnload(id) == ACL_SUCCESS);
    free(file.data);
    return code;
}

int main(void)
{
    begin();
    const char *chosen = getenv("ACLSIM_SOC");
    bool is_310p = chosen != NULL && strncmp(chosen, "Ascend310P", 10) == 0;
    bool is_310b = chosen != NULL && strncmp(chosen, "Ascend310B", 10) == 0;
    EXPECT_CODE("12", chosen == NULL || is_310p ? ACL_SUCCESS : ACL_ERROR_GE_FAILURE, load("Ascend310P1"));
    EXPECT_CODE("12", chosen == NULL || is_310b ? ACL_SUCCESS : ACL_ERROR_GE_FAILURE, load("Ascend310B1"));
    EXPECT_CODE("12", chosen == NULL ? ACL_SUCCESS : ACL_ERROR_GE_FAILURE, load("Ascend310"));
    EXPECT_CODE("12: a file that does not say it", ACL_SUCCESS, load(""));
    end();
    return 0;
}
