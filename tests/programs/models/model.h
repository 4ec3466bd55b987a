/* A model of one operator, y = relu(x) of two floats, as the bytes of an ONNX file. */
#ifndef PROGRAMS_MODEL_H
#define PROGRAMS_MODEL_H
#include "../rt.h"

#define END(tag, name) tag "\x0f\x0a\x01" name "\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02"
static const char model[] = "\x3a\x30\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu" END("\x5a", "x") END("\x62", "y");

static inline aclmdlDataset *dataset(void *data, size_t size) {
    aclmdlDataset *made = aclmdlCreateDataset();
    MUST(aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(data, size)));
    return made;
}

static inline void forget(aclmdlDataset *gone) {
    MUST(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(gone, 0)));
    MUST(aclmdlDestroyDataset(gone));
}
#endif
