/* Whether a message is whole: wire format and UTF-8 down to its last sub-message, as a parser of the format checks them.
 *
 * Fields that are not listed are skipped as bytes, as unknown fields are. */
#include "read.h"

enum kind { END, MODEL, GRAPH, OPERATOR, TENSOR, SHAPE, ENTRY, ATTRIBUTE, LIST, LISTS, NAMED, TEXT, VALUE, TASKS, TASK };
enum { MOST_FIELDS = 10, MOST_DEPTH = 100 };

static const struct {
    uint32_t field;
    enum kind kind;
} fields[][MOST_FIELDS] = {
    [MODEL] = {{1, TEXT}, {3, TEXT}, {7, GRAPH}, {11, ENTRY}},
    [GRAPH] = {{1, TEXT}, {4, TEXT}, {5, TEXT}, {6, OPERATOR}, {11, ENTRY}},
    [OPERATOR] = {{1, TEXT}, {2, TEXT}, {5, TEXT}, {10, ENTRY}, {23, TEXT}, {24, TEXT}, {26, TEXT}, {33, TENSOR},
                  {34, TENSOR}},
    [TENSOR] = {{1, TEXT}, {3, SHAPE}, {4, TEXT}, {5, ENTRY}, {14, TEXT}, {20, TEXT}},
    [SHAPE] = {{0, END}},
    [ENTRY] = {{1, TEXT}, {2, ATTRIBUTE}},
    [ATTRIBUTE] = {{1, LIST}, {10, NAMED}, {11, TENSOR}, {12, VALUE}, {13, GRAPH}, {14, LISTS}, {16, LISTS}},
    [LIST] = {{8, TENSOR}, {9, VALUE}, {10, GRAPH}, {11, NAMED}},
    [LISTS] = {{1, SHAPE}},
    [NAMED] = {{1, TEXT}, {2, ENTRY}},
    [VALUE] = {{1, TENSOR}},
    [TASKS] = {{1, TEXT}, {10, TASK}},
    [TASK] = {{0, END}},
};

static bool isText(struct message text)
{
    while (text.at < text.end) {
        uint8_t first = *text.at++;
        int more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : 3;
        if (first >= 0x80 && (first < 0xc2 || first > 0xf4 || text.end - text.at < more)) {
            return false;
        }
        /* Longer forms than needed, surrogates, and numbers beyond the last plane. */
        uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        for (; more > 0; more--, least = 0x80, most = 0xbf) {
            if (*text.at < least || *text.at > most) {
                return false;
            }
            text.at++;
        }
    }
    return true;
}

static bool isWhole(struct message message, enum kind kind, int depth)
{
    struct field field;
    if (kind == TEXT) {
        return isText(message);
    }
    if (depth == MOST_DEPTH) {
        return false;
    }
    while (messageNext(&message, &field)) {
        for (int i = 0; field.is_bytes && i < MOST_FIELDS && fields[kind][i].kind != END; i++) {
            if (fields[kind][i].field == field.number && !isWhole(field.bytes, fields[kind][i].kind, depth + 1)) {
                return false;
            }
        }
    }
    return !message.damaged;
}

bool omIsModelDef(struct message message)
{
    return message.at != NULL && isWhole(message, MODEL, 0);
}

bool omIsTaskDef(struct message message)
{
    return isWhole(message, TASKS, 0);
}
