/* An operator of a graph (OpDef: 1 name, 2 type, 10 attributes) and its tensors (TensorDescriptor: 2 type, 3 shape, 4
 * layout, 5 attributes, 10 size). */
#include "read.h"

struct om_operator omOperator(struct message message, const struct om_dictionary *dictionary)
{
    return (struct om_operator){
        .message = message,
        .name = omSubmessage(message, 1),
        .type = omSubmessage(message, 2),
        .attributes = {message, 10, dictionary},
    };
}

bool omIsData(const struct om_operator *operator)
{
    return omIs(&operator->type, "Data") || omIs(&operator->type, "AnnData") || omIs(&operator->type, "AippData") ||
           omIs(&operator->type, "RefData");
}

/* The attribute has the number, with a sub-format above the lowest byte; older files have only the name. */
static int32_t formatOf(const struct om_attributes *attributes, struct message message)
{
    int64_t number;
    struct message layout = omSubmessage(message, 4);
    if (omInteger(attributes, "format_for_int", &number)) {
        return (int32_t)(number & 0xff);
    }
    return layout.at == NULL ? -1 : omFormatNumber((const char *)layout.at, messageLength(&layout));
}

bool omTensor(struct om_arena *arena, const struct om_operator *operator, uint32_t field, size_t index,
              struct om_tensor *tensor)
{
    struct message message = operator->message;
    struct field next, type, size;
    do {
        if (!messageNext(&message, &next)) {
            return false;
        }
    } while (next.number != field || index-- > 0);
    *tensor = (struct om_tensor){.attributes = {next.bytes, 5, operator->attributes.dictionary}};
    tensor->type = omField(next.bytes, 2, &type) ? omTypeOf(type.value) : -1;
    tensor->format = formatOf(&tensor->attributes, next.bytes);
    tensor->dims = omNumbers(arena, omSubmessage(next.bytes, 3), 1);
    tensor->size = omField(next.bytes, 10, &size) ? (int64_t)size.value : 0;
    /* Older files have the size among the attributes. */
    (void)omInteger(&tensor->attributes, "size", &tensor->size);
    return true;
}
