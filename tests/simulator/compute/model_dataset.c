/* Datasets. They refer to data buffers, which are the caller's. */
#include "model_dataset.h"

#include <stdlib.h>

#include "entry.h"

aclmdlDataset *aclmdlCreateDataset(void)
{
    return calloc(1, sizeof(aclmdlDataset));
}

aclError aclmdlDestroyDataset(const aclmdlDataset *dataset)
{
    ENTER();
    REQUIRE(dataset != NULL, ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < dataset->count; i++) {
        aclDestroyTensorDesc(dataset->entries[i].desc);
    }
    free(dataset->entries);
    free((void *)dataset);
    ANSWER(ACL_SUCCESS);
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer)
{
    ENTER();
    REQUIRE(dataset != NULL && dataBuffer != NULL, ACL_ERROR_INVALID_PARAM);
    if (dataset->count == dataset->room) {
        size_t room = dataset->room * 2 + 8;
        struct dataset_entry *more = realloc(dataset->entries, room * sizeof *more);
        REQUIRE(more != NULL, ACL_ERROR_BAD_ALLOC);
        dataset->entries = more;
        dataset->room = room;
    }
    dataset->entries[dataset->count++] = (struct dataset_entry){dataBuffer, NULL};
    ANSWER(ACL_SUCCESS);
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset)
{
    return dataset == NULL ? 0 : dataset->count;
}

aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *dataset, size_t index)
{
    return dataset == NULL || index >= dataset->count ? NULL : dataset->entries[index].buffer;
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *tensorDesc, size_t index)
{
    ENTER();
    REQUIRE(dataset != NULL && index < dataset->count, ACL_ERROR_INVALID_PARAM);
    aclTensorDesc *copy = NULL;
    if (tensorDesc != NULL) {
        copy = malloc(sizeof *copy);
        REQUIRE(copy != NULL, ACL_ERROR_BAD_ALLOC);
        *copy = *tensorDesc;
        copy->constant = NULL;
    }
    aclDestroyTensorDesc(dataset->entries[index].desc);
    dataset->entries[index].desc = copy;
    ANSWER(ACL_SUCCESS);
}

aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset, size_t index)
{
    return dataset == NULL || index >= dataset->count ? NULL : dataset->entries[index].desc;
}
