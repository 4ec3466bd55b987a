/* All families, and what an operator's function asks of its arguments. */
#include <string.h>

#include "operator.h"

static const struct operator_row *const families[] = {
    activationRows, antialiasRows, attentionRows, choiceRows, compareRows, complexRows, convolutionRows, distanceRows,
    embeddingRows, factorRows, foreachRows, fusedAttentionRows, gatedRows, gridRows, indexRows, lossRows, marginRows, matrixRows,
    normalizationRows, orderRows, padRows, partRows, placedRows, pointwiseRows, poolingRows, quantizedRows, randomRows,
    recurrentRows, reductionRows, repeatedRows, resizeRows, scanRows, sequenceRows, shapeRows, singularRows,
    softmaxRows, sortRows, spaceRows, specialRows, transformerRows, uniqueRows, whereRows, windowRows,
};

const struct operator_row *rowNamed(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (const struct operator_row *row = families[i]; row->name != NULL; row++) {
            if (strcmp(row->name, name) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

const struct aclTensor *listedAt(const struct plan *plan, int argument, int index)
{
    const struct argument *at = argumentAt(plan, argument);
    bool is_tensor = strchr("TtLl", at->kind) != NULL;
    return is_tensor && !at->is_absent && index < at->count ? &plan->operands[at->first + index] : NULL;
}

const struct aclTensor *tensorAt(const struct plan *plan, int argument)
{
    return listedAt(plan, argument, 0);
}

void operandShrink(const struct plan *plan, int operand, int axis, int64_t count)
{
    struct aclTensor *tensor = (struct aclTensor *)plan->tensors[operand];
    if (aclsimHold(tensor)) {
        tensor->dims[axis] = count;
        aclsimLetGo();
    }
}
