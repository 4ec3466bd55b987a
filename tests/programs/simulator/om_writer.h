/* Writes small offline models, of each generation that a program may meet. Sections in comments are those of the format's
 * facts, as in the assertions of the programs that use it. */
#ifndef OM_WRITER_H
#define OM_WRITER_H

#include "om_message.h"

/* §4: an attribute of any kind. */
enum om_kind { OM_INTEGER, OM_TEXT, OM_FLAG, OM_REAL, OM_INTEGERS, OM_REALS, OM_TEXTS, OM_FLAGS, OM_PAIRS, OM_NAMED };
struct om_attr {
    const char *name;
    enum om_kind kind;
    int64_t number;
    const char *text;
    size_t count; /* of a list; pairs: of both numbers together */
    const int64_t *integers;
    const float *reals;
    const char *const *texts;
    const struct om_attr *nested; /* ends with a NULL name */
};

/* §4: the dictionary of coded names. NULL: names are plain. */
struct om_coding {
    size_t names, values;
    const char *name[256], *value[256];
    bool is_text[256];
};

OM_UNUSED size_t omPlace(const char **list, size_t *count, const char *text)
{
    size_t place = 0;
    while (place < *count && strcmp(list[place], text) != 0) {
        place++;
    }
    if (place == *count) {
        list[(*count)++] = text;
    }
    return place;
}

OM_UNUSED void putKey(struct bytes *entry, const struct om_attr *attr, struct om_coding *coding)
{
    if (coding == NULL) {
        putText(entry, 1, attr->name);
        return;
    }
    uint8_t key[8] = {0};
    size_t length = 1, place = omPlace(coding->name, &coding->names, attr->name);
    coding->is_text[place] = attr->kind == OM_TEXT || attr->kind == OM_TEXTS;
    do {
        key[length++] = (uint8_t)(place % 127 + 1);
        place /= 127;
    } while (place > 0);
    putField(entry, 1, key, length);
}

OM_UNUSED void putAttr(struct bytes *to, int field, const struct om_attr *attr, struct om_coding *coding);

OM_UNUSED void putValue(struct bytes *value, const struct om_attr *attr, struct om_coding *coding)
{
    struct bytes list = {0};
    float real = attr->count > 0 && attr->reals != NULL ? attr->reals[0] : 0;
    switch (attr->kind) {
    case OM_INTEGER: putInteger(value, 3, attr->number); break;
    case OM_FLAG: putInteger(value, 5, attr->number); break;
    case OM_REAL: putVarint(value, 4 << 3 | 5), put(value, &real, 4); break;
    case OM_TEXT:
        coding == NULL ? putText(value, 2, attr->text)
                       : putInteger(value, 3, (int64_t)omPlace(coding->value, &coding->values, attr->text));
        break;
    case OM_INTEGERS:
        for (size_t i = 0; i < attr->count; i++) {
            putInteger(&list, 3, attr->integers[i]);
        }
        putMessage(value, 1, &list);
        break;
    case OM_FLAGS:
        for (size_t i = 0; i < attr->count; i++) {
            putInteger(&list, 5, attr->integers[i]);
        }
        putMessage(value, 1, &list);
        break;
    case OM_REALS: /* packed */
        putField(&list, 4, attr->reals, attr->count * 4);
        putMessage(value, 1, &list);
        break;
    case OM_TEXTS:
        for (size_t i = 0; i < attr->count; i++) {
            coding == NULL ? putText(&list, 2, attr->texts[i])
                           : putInteger(&list, 3, (int64_t)omPlace(coding->value, &coding->values, attr->texts[i]));
        }
        putMessage(value, 1, &list);
        break;
    case OM_PAIRS:
        for (size_t i = 0; i < attr->count; i += 2) {
            struct bytes pair = {0};
            putInteger(&pair, 1, attr->integers[i]), putInteger(&pair, 1, attr->integers[i + 1]);
            putMessage(&list, 1, &pair);
            free(pair.data);
        }
        putMessage(value, 14, &list);
        break;
    case OM_NAMED:
        for (const struct om_attr *inner = attr->nested; inner->name != NULL; inner++) {
            putAttr(&list, 2, inner, NULL);
        }
        putMessage(value, 10, &list);
        break;
    }
    free(list.data);
}

OM_UNUSED void putAttr(struct bytes *to, int field, const struct om_attr *attr, struct om_coding *coding)
{
    struct bytes entry = {0}, value = {0};
    putKey(&entry, attr, coding);
    putValue(&value, attr, coding);
    putMessage(&entry, 2, &value);
    putMessage(to, field, &entry);
    free(entry.data), free(value.data);
}

OM_UNUSED void putAttrs(struct bytes *to, int field, const struct om_attr *attrs, struct om_coding *coding)
{
    for (; attrs != NULL && attrs->name != NULL; attrs++) {
        putAttr(to, field, attrs, coding);
    }
}

#define OM_INT(key, value) {.name = key, .kind = OM_INTEGER, .number = value}
#define OM_STR(key, value) {.name = key, .kind = OM_TEXT, .text = value}
#define OM_INTS(key, ...) \
    {.name = key, .kind = OM_INTEGERS, .integers = (const int64_t[]){__VA_ARGS__}, \
     .count = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)}
#define OM_STRS(key, ...) \
    {.name = key, .kind = OM_TEXTS, .texts = (const char *const[]){__VA_ARGS__}, \
     .count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)}
#define OM_RANGE(key, ...) \
    {.name = key, .kind = OM_PAIRS, .integers = (const int64_t[]){__VA_ARGS__}, \
     .count = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)}

/* The format's numbers for element types. */
enum { OM_DT_FLOAT = 1, OM_DT_FLOAT16 = 2, OM_DT_INT8 = 3, OM_DT_UINT8 = 4, OM_DT_INT32 = 7, OM_DT_INT64 = 8 };

struct om_tensor_plan {
    const char *name;
    const char *type; /* of an input's operator; NULL: Data */
    int dtype;
    const char *layout;
    size_t rank;
    int64_t dims[5];
    int64_t size, padded; /* of the descriptors; an output has only the second */
    const struct om_attr *attrs;  /* of the operator */
    const struct om_attr *tensor; /* of its descriptors */
    int64_t index; /* of an input; -1: the file has none */
};

struct om_plan {
    char generation; /* 'B', 'C', 'D' */
    const char *name;
    size_t inputs, outputs;
    const struct om_tensor_plan *input, *output;
    const struct om_attr *model, *net_output;
    const struct om_attr *gears;     /* of an operator Case */
    const struct om_attr *constants; /* of operators FileConstant, each list's end a NULL name; two of them end it */
    const void *weights;
    size_t weight_size;
    int64_t task_memory;
    size_t copies;         /* of the table, in a dynamic model */
    struct bytes *inout;   /* partition 8 */
    bool is_coded, is_dynamic;
};

OM_UNUSED void putTensor(struct bytes *to, int field, const struct om_tensor_plan *plan, int64_t size,
                         struct om_coding *coding)
{
    struct bytes tensor = {0}, shape = {0};
    putInteger(&tensor, 2, plan->dtype);
    for (size_t i = 0; i < plan->rank; i++) {
        putInteger(&shape, 1, plan->dims[i]);
    }
    putMessage(&tensor, 3, &shape);
    putText(&tensor, 4, plan->layout);
    putAttrs(&tensor, 5, plan->tensor, coding);
    putInteger(&tensor, 10, size);
    putMessage(to, field, &tensor);
    free(tensor.data), free(shape.data);
}

OM_UNUSED void putOperator(struct bytes *graph, const char *name, const char *type, struct bytes *rest)
{
    struct bytes operator = {0};
    putText(&operator, 1, name);
    putText(&operator, 2, type);
    put(&operator, rest->data, rest->length);
    rest->length = 0;
    putMessage(graph, 6, &operator);
    free(operator.data);
}

/* §6: data operators, NetOutput; §9: Case; §11: FileConstant. */
OM_UNUSED void putGraph(struct bytes *definition, const struct om_plan *plan, struct om_coding *coding)
{
    struct bytes graph = {0}, rest = {0};
    putText(&graph, 1, "graph");
    for (size_t i = 0; i < plan->inputs; i++) {
        const struct om_tensor_plan *input = &plan->input[i];
        if (input->index >= 0) {
            struct om_attr index = OM_INT("index", input->index);
            putAttr(&rest, 10, &index, coding);
        }
        putAttrs(&rest, 10, input->attrs, coding);
        putTensor(&rest, 33, input, input->size, coding);
        putTensor(&rest, 34, input, input->padded, coding);
        putOperator(&graph, input->name, input->type == NULL ? "Data" : input->type, &rest);
    }
    if (plan->gears != NULL) {
        putAttrs(&rest, 10, plan->gears, coding);
        putOperator(&graph, "case", "Case", &rest);
    }
    for (const struct om_attr *attr = plan->constants; attr != NULL && attr->name != NULL; attr++) {
        struct om_tensor_plan tensor = {.dtype = OM_DT_UINT8, .layout = "ND", .rank = 1, .dims = {32}};
        for (; attr->name != NULL; attr++) {
            putAttr(&rest, 10, attr, coding);
        }
        putTensor(&rest, 34, &tensor, 32, coding);
        putOperator(&graph, "constant", "FileConstant", &rest);
    }
    putAttrs(&rest, 10, plan->net_output, coding);
    for (size_t i = 0; i < plan->outputs; i++) {
        putText(&rest, 24, plan->output[i].name);
        putInteger(&rest, 25, (int64_t)i);
        putTensor(&rest, 33, &plan->output[i], plan->output[i].padded, coding);
    }
    putOperator(&graph, "Node_Output", "NetOutput", &rest);
    putMessage(definition, 7, &graph);
    free(graph.data), free(rest.data);
}

OM_UNUSED struct bytes omDefinition(const struct om_plan *plan)
{
    struct bytes definition = {0};
    struct om_coding coding = {0};
    putText(&definition, 1, plan->name);
    putGraph(&definition, plan, plan->is_coded ? &coding : NULL);
    putAttrs(&definition, 11, plan->model, NULL);
    if (plan->is_coded) {
        int64_t is_text[256];
        for (size_t i = 0; i < coding.names; i++) {
            is_text[i] = coding.is_text[i];
        }
        struct om_attr attrs[] = {
            OM_INT("om_compress_version", 1),
            {.name = "attr_name_enum", .kind = OM_TEXTS, .count = coding.names, .texts = coding.name},
            {.name = "attr_value_enum", .kind = OM_TEXTS, .count = coding.values, .texts = coding.value},
            {.name = "attrs_use_string_value", .kind = OM_FLAGS, .count = coding.names, .integers = is_text},
            {.name = NULL},
        };
        putAttrs(&definition, 11, attrs, NULL);
    }
    return definition;
}

struct om_part {
    uint32_t type;
    const void *data;
    size_t length;
};

/* §3: a table and its partitions. Offsets are wrong on purpose: no loader reads them. */
OM_UNUSED void putTable(struct bytes *to, const struct om_part *parts, size_t count, bool is_wide)
{
    putNumber(to, count, is_wide ? 8 : 4);
    for (size_t i = 0; i < count; i++) {
        putNumber(to, parts[i].type, is_wide ? 8 : 4);
        putNumber(to, 7, is_wide ? 8 : 4);
        putNumber(to, parts[i].length, is_wide ? 8 : 4);
    }
    for (size_t i = 0; i < count; i++) {
        put(to, parts[i].data, parts[i].length);
    }
}

/* §2: the header, with what follows it. */
OM_UNUSED struct bytes omWithHeader(char generation, const struct bytes *body, uint8_t type, uint32_t models, bool is_dynamic)
{
    struct bytes file = {0};
    uint8_t header[256] = {'I', 'M', 'O', 'D'};
    uint32_t version = generation == 'B' ? 0x10000000 : 0x20000000, size = 256, length = (uint32_t)body->length;
    uint64_t wide = body->length;
    memcpy(header + 4, &size, 4);
    memcpy(header + 8, &version, 4);
    header[82] = type;
    if (generation == 'D') {
        memcpy(header + 184, &wide, 8);
        header[193] = is_dynamic;
    } else {
        memcpy(header + 76, &length, 4);
    }
    if (generation != 'B') {
        memcpy(header + 156, &models, 4);
    }
    put(&file, header, sizeof header);
    put(&file, body->data, body->length);
    return file;
}

OM_UNUSED struct bytes omWrite(const struct om_plan *plan)
{
    struct bytes definition = omDefinition(plan), tasks = {0}, body = {0};
    struct om_part parts[5];
    size_t count = 0;
    uint32_t tables = plan->is_dynamic ? (uint32_t)(plan->copies > 0 ? plan->copies : 1) : 1;
    putInteger(&tasks, 11, plan->task_memory);
    if (plan->inout != NULL) {
        parts[count++] = (struct om_part){8, plan->inout->data, plan->inout->length};
    }
    parts[count++] = (struct om_part){0, definition.data, definition.length};
    parts[count++] = (struct om_part){1, plan->weights, plan->weight_size};
    parts[count++] = (struct om_part){3, "kernels", 7};
    parts[count++] = (struct om_part){2, tasks.data, tasks.length};
    for (uint32_t i = 0; i < tables; i++) {
        putTable(&body, parts, count, plan->generation == 'D');
    }
    struct bytes file = omWithHeader(plan->generation, &body, 0, tables, plan->is_dynamic);
    free(definition.data), free(tasks.data), free(body.data);
    return file;
}

#endif
