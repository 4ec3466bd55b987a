/* Gears: the operator Case has one branch for each set of shapes that the model was compiled for. */
#include <stdio.h>

#include "read.h"

enum { MOST_GEARS = 1024 };

/* "gear,output,d0,d1,...": whatever is no digit and no sign parts two numbers. */
struct om_dims omNumbersIn(struct om_arena *arena, const struct message *text)
{
    int64_t *list = omTake(arena, messageLength(text) + 1, sizeof *list);
    struct om_dims numbers = {0, list};
    uint64_t value = 0;
    bool is_negative = false;
    for (const uint8_t *at = text->at; list != NULL; at++) {
        if (at < text->end && *at >= '0' && *at <= '9') {
            value = value * 10 + (uint64_t)(*at - '0');
        } else if (at < text->end && *at == '-') {
            is_negative = true;
        } else {
            list[numbers.count++] = (int64_t)(is_negative ? 0 - value : value);
            value = 0;
            is_negative = false;
        }
        if (at >= text->end) {
            break;
        }
    }
    return numbers;
}

static uint32_t readCase(struct om_arena *arena, const struct om_operator *operator, struct om_gears *gears)
{
    int64_t count, kind = OM_GEARS_NONE;
    size_t names;
    const struct message *name;
    if (!omInteger(&operator->attributes, "_batch_num", &count)) {
        return 0;
    }
    if (count < 0 || count > MOST_GEARS) {
        return OM_FAILURE;
    }
    (void)omInteger(&operator->attributes, "mbatch_dynamic_type", &kind);
    struct om_dims *list = omTake(arena, (size_t)count, sizeof *list);
    if (list == NULL) {
        return OM_FAILURE;
    }
    for (int64_t i = 0; i < count; i++) {
        char key[40];
        snprintf(key, sizeof key, "_pred_value_%d", (int)i);
        if (!omIntegers(arena, &operator->attributes, key, &list[i])) {
            return OM_FAILURE;
        }
    }
    *gears = (struct om_gears){.kind = (int32_t)kind, .count = (size_t)count, .at = list};
    if (omStrings(arena, &operator->attributes, "user_designate_shape_order", &names, &name)) {
        const char **order = omTake(arena, names, sizeof *order);
        for (size_t i = 0; order != NULL && i < names; i++) {
            order[i] = omText(arena, name[i].at, messageLength(&name[i]));
        }
        gears->order = (struct om_names){order == NULL ? 0 : names, order};
    }
    return 0;
}

uint32_t omGears(struct om_arena *arena, const struct om_graph *graph, struct om_gears *gears)
{
    struct message scan = graph->message;
    struct field field;
    const struct message *shape = NULL;
    size_t shapes = 0;
    while (messageNext(&scan, &field)) {
        if (field.number != 6) {
            continue;
        }
        struct om_operator operator = omOperator(field.bytes, graph->dictionary);
        if (omIs(&operator.type, "Case")) {
            uint32_t code = readCase(arena, &operator, gears);
            if (code != 0) {
                return code;
            }
        }
        if (omIs(&operator.type, "NetOutput")) {
            (void)omStrings(arena, &operator.attributes, "_dynamic_output_dims", &shapes, &shape);
        }
    }
    struct om_dims *list = omTake(arena, shapes, sizeof *list);
    for (size_t i = 0; list != NULL && i < shapes; i++) {
        list[i] = omNumbersIn(arena, &shape[i]);
    }
    gears->shapes = list == NULL ? 0 : shapes;
    gears->shape = list;
    return 0;
}
