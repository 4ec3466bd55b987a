/* aclmdlDesc: a model's inputs and outputs. */
#ifndef SIMULATOR_MODEL_DESC_H
#define SIMULATOR_MODEL_DESC_H

#include "model.h"

struct aclmdlDesc {
    uint32_t id;         /* 0 for one that a file described */
    struct model *model; /* of a loaded model, which it keeps; NULL otherwise */
    struct om_arena arena;
    struct om_signature signature;
};

void descClear(aclmdlDesc *desc);
/* Dims with the end's name, or one made for it when it is too long for the structure. */
aclError descDims(const aclmdlDesc *desc, const struct om_end *end, const struct om_dims *from, aclmdlIODims *dims);

#endif
