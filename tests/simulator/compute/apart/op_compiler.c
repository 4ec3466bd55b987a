/* libacl_op_compiler.so: nothing is compiled, so compiling is checking, and running is running. */
#include "../entry.h"
#include "../operator.h"

aclError aclopCompile(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[], int numOutputs,
                      const aclTensorDesc *const outputDesc[], const aclopAttr *attr, aclopEngineType engineType,
                      aclopCompileType compileFlag, const char *opPath)
{
    ENTER();
    (void)engineType, (void)compileFlag, (void)opPath;
    ANSWER(aclsimOperatorCheck(opType, numInputs, inputDesc, numOutputs, outputDesc, attr));
}

aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs,
                                const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                                const aclopAttr *attr, aclopEngineType engineType, aclopCompileType compileFlag,
                                const char *opPath, aclrtStream stream)
{
    ENTER();
    (void)engineType, (void)compileFlag, (void)opPath;
    ANSWER(aclsimOperatorSubmit(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream));
}

aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                                  int numOutputs, aclTensorDesc *outputDesc[], aclDataBuffer *outputs[], aclopAttr *attr,
                                  aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath,
                                  aclrtStream stream)
{
    ENTER();
    (void)engineType, (void)compileFlag, (void)opPath;
    ANSWER(aclsimOperatorSubmit(opType, numInputs, (const aclTensorDesc *const *)inputDesc,
                                (const aclDataBuffer *const *)inputs, numOutputs,
                                (const aclTensorDesc *const *)outputDesc, outputs, attr, stream));
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag)
{
    ENTER();
    ANSWER(flag == ACL_OP_COMPILE_DEFAULT || flag == ACL_OP_COMPILE_FUZZ ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM);
}

aclError aclSetCompileopt(aclCompileOpt opt, const char *value)
{
    ENTER();
    (void)opt;
    ANSWER(value == NULL ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS);
}

__attribute__((constructor)) static void loaded(void)
{
    aclsimHasGraphEngine();
}
