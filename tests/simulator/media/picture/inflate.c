/* Section numbers are those of RFC 1951. */
#include "inflate.h"

#include <string.h>

enum { LENGTHS_MOST = 288, DISTANCES_MOST = 32, CODE_BITS_MOST = 15, BLOCK_END = 256 };

struct stream {
    const uint8_t *at, *end;
    uint32_t pending;
    int pending_bits;
    uint8_t *out;
    size_t written, room;
    bool damaged;
};

/* How many codes there are of each length, and the symbols in the order of their codes (3.2.2). */
struct codes {
    uint16_t counts[CODE_BITS_MOST + 1];
    uint16_t symbols[LENGTHS_MOST];
};

/* Bits are packed from the lowest on (3.1.1); zeros are read past the end, and the data is damaged then. */
static uint32_t bits(struct stream *stream, int count)
{
    while (stream->pending_bits < count) {
        uint32_t next = 0;
        if (stream->at < stream->end) {
            next = *stream->at++;
        } else {
            stream->damaged = true;
        }
        stream->pending |= next << stream->pending_bits;
        stream->pending_bits += 8;
    }
    uint32_t value = stream->pending & ((1u << count) - 1);
    stream->pending >>= count;
    stream->pending_bits -= count;
    return value;
}

static void emit(struct stream *stream, uint8_t byte)
{
    if (stream->written == stream->room) {
        stream->damaged = true;
        return;
    }
    stream->out[stream->written++] = byte;
}

/* False if there are more codes than their lengths allow. */
static bool build(struct codes *codes, const uint8_t *lengths, int count)
{
    uint16_t place[CODE_BITS_MOST + 1] = {0};
    int free_codes = 1;
    memset(codes, 0, sizeof *codes);
    for (int i = 0; i < count; i++) {
        codes->counts[lengths[i]]++;
    }
    codes->counts[0] = 0;
    for (int length = 1; length <= CODE_BITS_MOST; length++) {
        free_codes = free_codes * 2 - codes->counts[length];
        if (free_codes < 0) {
            return false;
        }
        if (length < CODE_BITS_MOST) {
            place[length + 1] = (uint16_t)(place[length] + codes->counts[length]);
        }
    }
    for (int i = 0; i < count; i++) {
        if (lengths[i] != 0) {
            codes->symbols[place[lengths[i]]++] = (uint16_t)i;
        }
    }
    return true;
}

static int symbol(struct stream *stream, const struct codes *codes)
{
    int code = 0, first = 0, index = 0;
    for (int length = 1; length <= CODE_BITS_MOST && !stream->damaged; length++) {
        int count = codes->counts[length];
        code = code << 1 | (int)bits(stream, 1);
        first <<= 1;
        if (code - first < count) {
            return codes->symbols[index + code - first];
        }
        index += count;
        first += count;
    }
    stream->damaged = true;
    return 0;
}

/* 3.2.4: the rest of the current byte is skipped. */
static void stored(struct stream *stream)
{
    stream->pending = 0;
    stream->pending_bits = 0;
    uint32_t length = bits(stream, 16), complement = bits(stream, 16);
    if ((length ^ complement) != 0xffff || length > (size_t)(stream->end - stream->at)) {
        stream->damaged = true;
        return;
    }
    for (uint32_t i = 0; i < length; i++) {
        emit(stream, *stream->at++);
    }
}

/* 3.2.5: the base and the number of extra bits of a length or a distance. */
static uint32_t expand(struct stream *stream, int step, int codes_per_bit, uint32_t least)
{
    int extra = step < codes_per_bit * 2 ? 0 : step / codes_per_bit - 1;
    uint32_t base = extra == 0 ? (uint32_t)step : (uint32_t)(codes_per_bit + step % codes_per_bit) << extra;
    return least + base + bits(stream, extra);
}

static void copy(struct stream *stream, int length_code, const struct codes *distances)
{
    /* The last code is 258 itself. */
    uint32_t length = length_code == 285 ? 258 : expand(stream, length_code - 257, 4, 3);
    int distance_code = symbol(stream, distances);
    if (length_code > 285 || distance_code > 29 || stream->damaged) {
        stream->damaged = true;
        return;
    }
    uint32_t distance = expand(stream, distance_code, 2, 1);
    if (distance > stream->written) {
        stream->damaged = true;
        return;
    }
    for (uint32_t i = 0; i < length && !stream->damaged; i++) {
        emit(stream, stream->out[stream->written - distance]);
    }
}

static void coded(struct stream *stream, const struct codes *lengths, const struct codes *distances)
{
    while (!stream->damaged) {
        int next = symbol(stream, lengths);
        if (next == BLOCK_END) {
            return;
        }
        if (next < BLOCK_END) {
            emit(stream, (uint8_t)next);
        } else {
            copy(stream, next, distances);
        }
    }
}

/* 3.2.6 */
static void fixedCodes(struct codes *lengths, struct codes *distances)
{
    uint8_t sizes[LENGTHS_MOST];
    for (int i = 0; i < LENGTHS_MOST; i++) {
        sizes[i] = i < 144 || i > 279 ? 8 : i < 256 ? 9 : 7;
    }
    build(lengths, sizes, LENGTHS_MOST);
    memset(sizes, 5, DISTANCES_MOST);
    build(distances, sizes, DISTANCES_MOST);
}

/* 3.2.7 */
static bool writtenCodes(struct stream *stream, struct codes *lengths, struct codes *distances)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t sizes[LENGTHS_MOST + DISTANCES_MOST] = {0}, coding[19] = {0};
    int literals = (int)bits(stream, 5) + 257, all = literals + (int)bits(stream, 5) + 1;
    int count = (int)bits(stream, 4) + 4, place = 0;
    for (int i = 0; i < count; i++) {
        coding[order[i]] = (uint8_t)bits(stream, 3);
    }
    struct codes code;
    if (literals > LENGTHS_MOST || !build(&code, coding, 19)) {
        return false;
    }
    while (place < all && !stream->damaged) {
        int next = symbol(stream, &code);
        int repeat = next < 16 ? 1 : next == 16 ? 3 + (int)bits(stream, 2) : next == 17 ? 3 + (int)bits(stream, 3) : 11 + (int)bits(stream, 7);
        if ((next == 16 && place == 0) || repeat > all - place) {
            return false;
        }
        uint8_t size = next < 16 ? (uint8_t)next : next == 16 ? sizes[place - 1] : 0;
        memset(sizes + place, size, (size_t)repeat);
        place += repeat;
    }
    return !stream->damaged && build(lengths, sizes, literals) && build(distances, sizes + literals, all - literals);
}

bool inflateInto(const uint8_t *data, size_t length, uint8_t *out, size_t room)
{
    struct stream stream = {.at = data, .end = data + length, .out = out, .room = room};
    bool is_last = false;
    while (!is_last && !stream.damaged) {
        struct codes lengths, distances;
        is_last = bits(&stream, 1);
        switch (bits(&stream, 2)) {
        case 0: stored(&stream); break;
        case 1:
            fixedCodes(&lengths, &distances);
            coded(&stream, &lengths, &distances);
            break;
        case 2:
            if (!writtenCodes(&stream, &lengths, &distances)) {
                return false;
            }
            coded(&stream, &lengths, &distances);
            break;
        default: return false;
        }
    }
    return !stream.damaged && stream.written == room;
}
