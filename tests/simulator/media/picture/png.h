/* PNG files (ISO/IEC 15948) in host-visible memory, as far as the unit decodes them. */
#ifndef SIMULATOR_PNG_H
#define SIMULATOR_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the header; `channels` is 0 for color types that the unit does not take. */
struct png_info {
    uint32_t width, height;
    uint32_t depth, channels;
    bool is_interlaced;
};

/* False if it is too short or no PNG file. */
bool pngInfo(const uint8_t *file, size_t length, struct png_info *info);
/* Decodes a file of 8 bits a sample without interlacing into packed RGB (`channels` 3) or RGBA (4). Alpha is dropped, or full where the file
 * has none. False for other files and damaged ones. Checksums are not compared. */
bool pngDecode(const uint8_t *file, size_t length, uint8_t *out, size_t stride, int channels);

#endif
