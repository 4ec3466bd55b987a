/* The decoder: baseline, three components, luma sampled twice as finely as chroma both ways. */
#include <math.h>

#include "jpeg.h"
#include "jpeg_tables.h"

struct component {
    uint8_t id, sampling, quantiser;
    uint8_t dc, ac; /* Huffman tables */
    int previous;
};

struct decoder {
    const uint8_t *at, *end;
    uint32_t pending;
    int pending_bits;
    bool damaged;
    uint8_t quantisers[4][64]; /* in natural order */
    struct huffman_list tables[2][4];
    struct component components[3];
    struct jpeg_info info;
};

static int byte(struct decoder *decoder)
{
    if (decoder->at == decoder->end) {
        decoder->damaged = true;
        return 0;
    }
    return *decoder->at++;
}

static int word(struct decoder *decoder)
{
    int high = byte(decoder);
    return high << 8 | byte(decoder);
}

/* In the coded data, 0xff is followed by 0; any other mark ends it, and zeros are read from there on. */
static int bit(struct decoder *decoder)
{
    if (decoder->pending_bits == 0) {
        int next = byte(decoder);
        if (next == 0xff && byte(decoder) != 0) {
            decoder->at -= 2;
            decoder->damaged = true;
            next = 0;
        }
        decoder->pending = (uint32_t)next;
        decoder->pending_bits = 8;
    }
    return decoder->pending >> --decoder->pending_bits & 1;
}

static int number(struct decoder *decoder, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        value = value << 1 | bit(decoder);
    }
    return count > 0 && value < 1 << (count - 1) ? value - (1 << count) + 1 : value;
}

static int symbol(struct decoder *decoder, const struct huffman_list *list)
{
    int code = 0, first = 0, index = 0;
    for (int length = 0; length < 16; length++) {
        code = code << 1 | bit(decoder);
        int count = list->counts[length];
        if (code - first < count) {
            return list->symbols[index + code - first];
        }
        index += count;
        first = (first + count) << 1;
    }
    decoder->damaged = true;
    return 0;
}

static void inverse(const int coefficients[64], uint8_t out[64])
{
    float half[64], cosine[8][8];
    jpegCosines(cosine);
    for (int v = 0; v < 8; v++) {
        for (int x = 0; x < 8; x++) {
            half[v * 8 + x] = 0;
            for (int u = 0; u < 8; u++) {
                half[v * 8 + x] += (float)coefficients[v * 8 + u] * cosine[u][x];
            }
        }
    }
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) {
            float sum = 128;
            for (int v = 0; v < 8; v++) {
                sum += half[v * 8 + x] * cosine[v][y];
            }
            out[y * 8 + x] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : lrintf(sum));
        }
    }
}

static void block(struct decoder *decoder, struct component *component, const struct jpeg_plane *plane, uint32_t left,
                  uint32_t top)
{
    int coefficients[64] = {0};
    uint8_t samples[64];
    const uint8_t *quantiser = decoder->quantisers[component->quantiser];
    component->previous += number(decoder, symbol(decoder, &decoder->tables[0][component->dc]) & 15);
    coefficients[0] = component->previous * quantiser[0];
    for (int i = 1; i < 64; i++) {
        int next = symbol(decoder, &decoder->tables[1][component->ac]);
        if (next == 0 || decoder->damaged) {
            break;
        }
        i += next >> 4;
        if (i > 63) {
            break;
        }
        int place = jpeg_zigzag[i];
        coefficients[place] = number(decoder, next & 15) * quantiser[place];
    }
    inverse(coefficients, samples);
    for (uint32_t y = 0; y < 8 && top + y < plane->height; y++) {
        for (uint32_t x = 0; x < 8 && left + x < plane->width; x++) {
            plane->samples[(size_t)(top + y) * plane->stride + (size_t)(left + x) * plane->step] = samples[y * 8 + x];
        }
    }
}

static void readQuantisers(struct decoder *decoder)
{
    while (decoder->at < decoder->end) {
        int table = byte(decoder);
        if (table > 3) { /* the upper half says 16-bit values, which baseline has not */
            decoder->damaged = true;
            return;
        }
        for (int i = 0; i < 64; i++) {
            decoder->quantisers[table][jpeg_zigzag[i]] = (uint8_t)byte(decoder);
        }
    }
}

static void readHuffman(struct decoder *decoder)
{
    while (decoder->at < decoder->end) {
        int id = byte(decoder), symbols = 0;
        struct huffman_list *list = &decoder->tables[id >> 4 & 1][id & 3];
        for (int i = 0; i < 16; i++) {
            symbols += list->counts[i] = (uint8_t)byte(decoder);
        }
        if (symbols > (int)sizeof list->symbols) {
            decoder->damaged = true;
            return;
        }
        for (int i = 0; i < symbols; i++) {
            list->symbols[i] = (uint8_t)byte(decoder);
        }
    }
}

static void readFrame(struct decoder *decoder)
{
    struct jpeg_info *info = &decoder->info;
    (void)byte(decoder);
    info->height = (uint32_t)word(decoder);
    info->width = (uint32_t)word(decoder);
    info->components = byte(decoder);
    for (int i = 0; i < info->components && i < 3; i++) {
        struct component *component = &decoder->components[i];
        component->id = (uint8_t)byte(decoder);
        component->sampling = (uint8_t)byte(decoder);
        component->quantiser = (uint8_t)(byte(decoder) & 3);
        info->across[i] = component->sampling >> 4;
        info->down[i] = component->sampling & 15;
    }
}

static void readScan(struct decoder *decoder)
{
    int count = byte(decoder);
    for (int i = 0; i < count && i < 3; i++) {
        (void)byte(decoder);
        int tables = byte(decoder);
        decoder->components[i].dc = tables >> 4 & 3;
        decoder->components[i].ac = tables & 3;
    }
}

/* Walks the segments up to the coded data, which `at` then points to; with `only_frame`, up to the frame header.
 * Answers the frame's mark, or 0. */
static int walk(struct decoder *decoder, bool only_frame)
{
    const uint8_t *end = decoder->end;
    int frame = 0;
    if (word(decoder) != 0xffd8) {
        return 0;
    }
    while (!decoder->damaged) {
        int mark = word(decoder);
        int length = word(decoder) - 2;
        if (mark >> 8 != 0xff || length < 0 || length > end - decoder->at) {
            return 0;
        }
        const uint8_t *next = decoder->at + length;
        decoder->end = next;
        bool is_frame = mark >= 0xffc0 && mark <= 0xffcf && mark != 0xffc4 && mark != 0xffc8 && mark != 0xffcc;
        if (is_frame) {
            readFrame(decoder);
            frame = mark;
        }
        if (mark == 0xffdb) {
            readQuantisers(decoder);
        }
        if (mark == 0xffc4) {
            readHuffman(decoder);
        }
        if (mark == 0xffda) {
            readScan(decoder);
        }
        decoder->at = next;
        decoder->end = end;
        if (mark == 0xffda || (is_frame && only_frame)) {
            return decoder->damaged ? 0 : frame;
        }
    }
    return 0;
}

bool jpegInfo(const uint8_t *file, size_t length, struct jpeg_info *info)
{
    struct decoder decoder = {.at = file, .end = file + length};
    if (walk(&decoder, true) == 0) {
        return false;
    }
    *info = decoder.info;
    return true;
}

bool jpegDecode(const uint8_t *file, size_t length, const struct jpeg_plane planes[3])
{
    struct decoder decoder = {.at = file, .end = file + length};
    struct component *components = decoder.components;
    if (walk(&decoder, false) != 0xffc0 || decoder.info.components != 3 || components[0].sampling != 0x22 ||
        components[1].sampling != 0x11 || components[2].sampling != 0x11) {
        return false;
    }
    for (uint32_t top = 0; top < decoder.info.height; top += 16) {
        for (uint32_t left = 0; left < decoder.info.width; left += 16) {
            for (uint32_t i = 0; i < 4; i++) {
                block(&decoder, &components[0], &planes[0], left + i % 2 * 8, top + i / 2 * 8);
            }
            for (int i = 1; i < 3; i++) {
                block(&decoder, &components[i], &planes[i], left / 2, top / 2);
            }
        }
    }
    return !decoder.damaged;
}
