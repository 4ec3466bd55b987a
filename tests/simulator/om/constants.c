/* External weights: FileConstant operators of any graph of the model, each a part of a file. */
#include "acl/error_codes/ge_error_codes.h"
#include "read.h"

enum { GRAPHS = 7, OPERATORS = 6, GIVES = 34 };

static bool readConstant(struct om_arena *arena, const struct om_operator *operator, struct om_constant *constant)
{
    struct message location = {0}, path = {0};
    struct om_tensor tensor;
    int64_t offset = 0, length = 0;
    (void)omInteger(&operator->attributes, "offset", &offset);
    (void)omInteger(&operator->attributes, "length", &length);
    if (omString(&operator->attributes, "location", &location) && messageLength(&location) > 0) {
        const char *text = omText(arena, location.at, messageLength(&location));
        const char *slash = strrchr(text, '/');
        constant->path = slash == NULL ? text : slash + 1;
    } else if (omString(&operator->attributes, "file_path", &path) && messageLength(&path) > 0) {
        constant->path = omText(arena, path.at, messageLength(&path));
        constant->is_whole = true;
        offset = length = 0;
    } else {
        /* Only a number, whose file an option of the compiler names, is left; there is no such option here. */
        return false;
    }
    if (length == 0 && (!omTensor(arena, operator, GIVES, 0, &tensor) ||
                        !omTensorBytes(tensor.type, &tensor.dims, &length))) {
        return false;
    }
    constant->offset = (uint64_t)offset;
    constant->length = (uint64_t)length;
    return offset >= 0 && length >= 0;
}

uint32_t omConstants(struct om_arena *arena, struct message model, const struct om_dictionary *dictionary,
                     struct om_model *to)
{
    struct field graph, field;
    struct om_constant *list = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t count = 0;
        for (struct message graphs = model; messageNext(&graphs, &graph);) {
            struct message operators = graph.number == GRAPHS ? graph.bytes : (struct message){0};
            while (messageNext(&operators, &field)) {
                struct message type = field.number == OPERATORS ? omSubmessage(field.bytes, 2) : (struct message){0};
                if (!omIs(&type, "FileConstant")) {
                    continue;
                }
                struct om_operator operator = omOperator(field.bytes, dictionary);
                if (pass == 1 && !readConstant(arena, &operator, &list[to->constants + count])) {
                    return OM_FAILURE;
                }
                count++;
            }
        }
        if (pass == 1) {
            to->constant = list;
            to->constants += count;
        } else if (count == 0) {
            return 0;
        } else if ((list = omTake(arena, to->constants + count, sizeof *list)) == NULL) {
            return ACL_ERROR_GE_MEMORY_ALLOCATION;
        } else if (to->constants > 0) {
            memcpy(list, to->constant, to->constants * sizeof *list);
        }
    }
    return 0;
}
