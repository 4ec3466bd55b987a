/* Reading protocol-buffer messages, field by field. Nothing is copied; a cut or damaged message ends the reading. */
#ifndef SIMULATOR_PROTOBUF_H
#define SIMULATOR_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    const uint8_t *at, *end;
    bool damaged;
};

struct field {
    uint32_t number;
    uint64_t value;       /* of a varint or fixed-width field */
    struct message bytes; /* of a string, sub-message or packed list */
    bool is_bytes;
    const uint8_t *start; /* of its key */
};

struct message messageOf(const void *bytes, size_t length);
/* The next field; false at the end and at damage. */
bool messageNext(struct message *message, struct field *field);
/* The next number of a packed list of varints. */
bool packedNext(struct message *list, uint64_t *value);
size_t messageLength(const struct message *message);
float fieldFloat(const struct field *field);
/* A string field, cut to fit. */
void fieldText(const struct field *field, char *text, size_t size);

#endif
