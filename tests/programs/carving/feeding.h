/* A model that reads pictures: the last part of the scenarios of the sub-allocation guide. */
#ifndef PROGRAMS_FEEDING_H
#define PROGRAMS_FEEDING_H
#include "../models/model.h"

static uint32_t fed;
static char *answers;

static void loadModel(void) {
    MUST(aclmdlLoadFromMem(model, sizeof model - 1, &fed));
    answers = device(64);
}

/* The model reads `size` bytes at `picture`. */
static void feed(char *picture, size_t size) {
    aclmdlDataset *input = dataset(picture, size), *output = dataset(answers, 8);
    MUST(aclmdlExecute(fed, input, output));
    forget(input);
    forget(output);
}

static void unloadModel(void) {
    MUST(aclmdlUnload(fed));
    MUST(aclrtFree(answers));
}
#endif
