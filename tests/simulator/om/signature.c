/* Inputs and outputs: the main graph's data operators, by index, and what its NetOutput takes.
 *
 * Operators are field 6 of a graph; of an operator 24 and 25 are the names and places that its inputs come from, 33
 * and 34 the tensors of its inputs and outputs. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/error_codes/ge_error_codes.h"
#include "read.h"

enum { OPERATORS = 6, SOURCE_NAMES = 24, SOURCE_PLACES = 25, TAKES = 33, GIVES = 34, FORMAT_FRACTAL_Z = 4, FORMAT_HWCN = 16 };

struct data {
    uint32_t index;
    size_t order;
    struct om_operator operator;
};

static int byIndex(const void *one, const void *other)
{
    const struct data *left = one, *right = other;
    if (left->index != right->index) {
        return left->index < right->index ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

static uint64_t notNegative(int64_t size)
{
    return size > 0 ? (uint64_t)size : 0;
}

static struct om_dims pairs(struct om_arena *arena, const struct om_attributes *attributes, const char *name)
{
    const struct om_dims *list = NULL;
    size_t count = 0;
    if (!omLists(arena, attributes, name, &count, &list)) {
        return (struct om_dims){0};
    }
    int64_t *ends = omTake(arena, count, 2 * sizeof *ends);
    for (size_t i = 0; ends != NULL && i < count; i++) {
        if (list[i].count != 2) {
            return (struct om_dims){0};
        }
        memcpy(&ends[2 * i], list[i].at, 2 * sizeof *ends);
    }
    return (struct om_dims){ends == NULL ? 0 : 2 * count, ends};
}

/* A model with open shapes is asked for the shape that its author gave a tensor, before a format was chosen for it. */
static void original(struct om_arena *arena, const struct om_tensor *tensor, struct om_end *end)
{
    struct message layout;
    struct om_dims dims;
    int64_t bytes = 0, number;
    end->type = tensor->type;
    end->format = tensor->format;
    end->dims = tensor->dims;
    if (omIntegers(arena, &tensor->attributes, "origin_shape", &dims) && dims.count > 0) {
        end->dims = dims;
    }
    if (omInteger(&tensor->attributes, "origin_format_for_int", &number)) {
        end->format = (int32_t)(number & 0xff);
    } else if (omString(&tensor->attributes, "origin_format", &layout)) {
        int32_t format = omFormatNumber((const char *)layout.at, messageLength(&layout));
        end->format = format < 0 ? end->format : format;
    }
    end->dims_v2 = end->dims;
    end->ranges = pairs(arena, &tensor->attributes, "origin_shape_range");
    (void)omTensorBytes(tensor->type, &tensor->dims, &bytes);
    for (size_t i = 0; i < tensor->dims.count; i++) {
        bytes = tensor->dims.at[i] < 0 ? 0 : bytes;
    }
    end->size = end->padded = notNegative(bytes);
}

static uint32_t readInput(struct om_arena *arena, const struct om_operator *operator, bool is_dynamic, struct om_end *end)
{
    struct om_tensor taken, given;
    int64_t special;
    bool takes = omTensor(arena, operator, TAKES, 0, &taken);
    if (!omTensor(arena, operator, GIVES, 0, &given) || (!takes && !is_dynamic)) {
        return OM_FAILURE;
    }
    end->name = omText(arena, operator->name.at, messageLength(&operator->name));
    if (is_dynamic) {
        original(arena, &given, end);
        if (omIntegers(arena, &operator->attributes, "_dynamic_aipp_input_dims", &end->dims)) {
            end->dims_v2 = end->dims;
        } else {
            (void)omIntegers(arena, &operator->attributes, "input_dims", &end->dims_v2);
        }
        return 0;
    }
    end->type = taken.type;
    end->format = taken.format;
    end->padded = notNegative(given.size);
    end->size = notNegative(taken.size);
    if (omInteger(&given.attributes, "_special_input_size", &special) && special > 0) {
        end->size = (uint64_t)special;
    }
    end->dims = taken.dims;
    if (!omIntegers(arena, &operator->attributes, "_dynamic_aipp_input_dims", &end->dims)) {
        (void)omIntegers(arena, &operator->attributes, "_mbatch_origin_input_dims", &end->dims);
    }
    end->dims_v2 = end->dims;
    (void)omIntegers(arena, &operator->attributes, "input_dims", &end->dims_v2);
    end->ranges = pairs(arena, &taken.attributes, "shape_range");
    return 0;
}

static uint32_t readInputs(struct om_arena *arena, const struct om_graph *graph, bool is_dynamic,
                           struct om_signature *signature)
{
    struct message scan = graph->message;
    struct field field;
    size_t count = 0, kept = 0;
    struct data *list = omTake(arena, omCount(scan, OPERATORS), sizeof *list);
    while (list != NULL && messageNext(&scan, &field)) {
        struct om_operator operator = {0};
        int64_t index;
        if (field.number != OPERATORS || (operator = omOperator(field.bytes, graph->dictionary), !omIsData(&operator))) {
            continue;
        }
        list[count] = (struct data){(uint32_t)count, count, operator};
        if (omInteger(&operator.attributes, "index", &index)) {
            list[count].index = (uint32_t)index;
        } else if (is_dynamic) {
            return OM_FAILURE;
        }
        count++;
    }
    signature->input = omTake(arena, count, sizeof *signature->input);
    const char **names = omTake(arena, count, sizeof *names);
    if (list == NULL || signature->input == NULL || names == NULL) {
        return ACL_ERROR_GE_MEMORY_ALLOCATION;
    }
    qsort(list, count, sizeof *list, byIndex);
    for (size_t i = 0; i < count; i++) {
        /* Of two with one index the later counts, in a model of fixed shapes. */
        if (i + 1 < count && list[i].index == list[i + 1].index) {
            if (is_dynamic) {
                return OM_FAILURE;
            }
            continue;
        }
        list[kept] = list[i];
        uint32_t code = readInput(arena, &list[kept].operator, is_dynamic, &signature->input[kept]);
        if (code != 0) {
            return code;
        }
        names[kept] = signature->input[kept].name;
        kept++;
    }
    signature->inputs = kept;
    for (size_t i = 0; i < kept; i++) {
        uint32_t code = omAipp(arena, &list[i].operator, &(struct om_names){kept, names}, &signature->input[i]);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

/* A name that the model has for the output, or one made of where it comes from. */
static const char *outputName(struct om_arena *arena, size_t index, const struct message *given,
                              const struct message *source, const int64_t *place)
{
    static const struct message unknown = {(const uint8_t *)"?", (const uint8_t *)"?" + 1, false};
    char number[24] = "?";
    const struct message *stem = given != NULL ? given : source != NULL ? source : &unknown;
    size_t length = messageLength(stem);
    char *text = omTake(arena, length + 2 * sizeof number + 16, 1);
    if (text == NULL) {
        return "";
    }
    bool has_colon = length > 0 && memchr(stem->at, ':', length) != NULL;
    size_t used = given != NULL ? 0 : (size_t)sprintf(text, "output_%zu_", index);
    if (length > 0) {
        memcpy(text + used, stem->at, length);
    }
    if (given == NULL || !has_colon) {
        if (place != NULL) {
            snprintf(number, sizeof number, "%lld", (long long)*place);
        }
        text[used + length] = given != NULL ? ':' : '_';
        memcpy(text + used + length + 1, number, strlen(number));
    }
    return text;
}

static void readOutput(struct om_arena *arena, const struct om_tensor *tensor, bool is_dynamic, struct om_end *end)
{
    int64_t size = 0;
    if (is_dynamic) {
        original(arena, tensor, end);
        return;
    }
    end->type = tensor->type;
    end->format = tensor->format;
    end->dims = tensor->dims;
    if (tensor->format == FORMAT_FRACTAL_Z && tensor->dims.count >= 4) {
        const int64_t *kchw = tensor->dims.at;
        int64_t *hwck = omTake(arena, 4, sizeof *hwck);
        if (hwck != NULL) {
            hwck[0] = kchw[2], hwck[1] = kchw[3], hwck[2] = kchw[1], hwck[3] = kchw[0];
            end->dims = (struct om_dims){4, hwck};
            end->format = FORMAT_HWCN;
        }
    }
    end->dims_v2 = end->dims;
    end->ranges = pairs(arena, &tensor->attributes, "shape_range");
    end->padded = notNegative(tensor->size);
    if (!omInteger(&tensor->attributes, "_special_output_size", &size) || size <= 0) {
        (void)omStoredBytes(tensor->type, tensor->format, &tensor->dims, &size);
    }
    end->size = notNegative(size);
}

static uint32_t readOutputs(struct om_arena *arena, const struct om_graph *graph, const struct om_operator *operator,
                            bool is_dynamic, struct om_signature *signature)
{
    struct field field;
    size_t names = 0, sources = 0, count = omCount(operator->message, TAKES), i = 0;
    const struct message *name = NULL;
    struct message *source = omTake(arena, omCount(operator->message, SOURCE_NAMES), sizeof *source);
    struct om_dims places = omNumbers(arena, operator->message, SOURCE_PLACES);
    struct om_end *output = omTake(arena, signature->outputs + count, sizeof *output);
    if (source == NULL || output == NULL) {
        return ACL_ERROR_GE_MEMORY_ALLOCATION;
    }
    for (struct message scan = operator->message; messageNext(&scan, &field);) {
        if (field.number == SOURCE_NAMES) {
            source[sources++] = field.bytes;
        }
    }
    if (!graph->is_lenient && (sources < count || places.count < count)) {
        return OM_FAILURE;
    }
    (void)omStrings(arena, &graph->model, "attr_model_out_nodes_name", &names, &name);
    memcpy(output, signature->output, signature->outputs * sizeof *output);
    for (struct message scan = operator->message; messageNext(&scan, &field);) {
        struct om_tensor tensor;
        struct om_operator only = *operator;
        if (field.number != TAKES) {
            continue;
        }
        only.message = (struct message){field.start, scan.at, false};
        struct om_end *end = &output[signature->outputs + i];
        if (!omTensor(arena, &only, TAKES, 0, &tensor)) {
            return OM_FAILURE;
        }
        readOutput(arena, &tensor, is_dynamic, end);
        end->name = outputName(arena, i, names == count ? &name[i] : NULL, i < sources ? &source[i] : NULL,
                               i < places.count ? &places.at[i] : NULL);
        i++;
    }
    signature->output = output;
    signature->outputs += count;
    return 0;
}

uint32_t omSignatureOf(struct om_arena *arena, const struct om_graph *graph, bool is_dynamic,
                       struct om_signature *signature)
{
    struct message scan = graph->message;
    struct field field;
    *signature = (struct om_signature){0};
    signature->output = omTake(arena, 0, 1);
    uint32_t code = readInputs(arena, graph, is_dynamic, signature);
    while (code == 0 && messageNext(&scan, &field)) {
        struct om_operator operator = {0};
        if (field.number == OPERATORS && (operator = omOperator(field.bytes, graph->dictionary),
                                          omIs(&operator.type, "NetOutput"))) {
            code = readOutputs(arena, graph, &operator, is_dynamic, signature);
        }
    }
    return code == 0 ? omGears(arena, graph, &signature->gears) : code;
}
