#include "chance.h"

#include <string.h>

#include "shapes.h"

static uint64_t state;

static uint64_t draw(void)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int64_t below(int64_t count)
{
    return (int64_t)(draw() % (uint64_t)count);
}

bool happens(int cases)
{
    return below(100) < cases;
}

/* Shapes are drawn around one that the call's tensors share, since only what nearly fits gets far. */
static int base_rank;
static int64_t base[RANK];
static aclDataType base_type;

static int64_t sizeAtRandom(void)
{
    return happens(8) ? 0 : happens(2) ? 40 : 1 + below(5);
}

aclDataType typeAtRandom(void)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,   ACL_DOUBLE, ACL_INT8,      ACL_UINT8,      ACL_INT16,    ACL_UINT16,
                                        ACL_INT32, ACL_UINT32,  ACL_INT64,  ACL_UINT64, ACL_BOOL,      ACL_COMPLEX64,  ACL_COMPLEX128, ACL_STRING};
    return types[below(sizeof types / sizeof *types)];
}

/* Numbers and types of a call that has a template are mostly what it needs. */
static bool is_tame;

double valueAtRandom(void)
{
    static const double odd[] = {0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, 1e300, -1e300, 9.3e18, -9.3e18, 2147483648.0, -2147483648.0, 1e10, 64, 100};
    return happens(5) ? odd[below(sizeof odd / sizeof *odd)] : happens(70) ? (double)(below(9) - 2) : (double)below(1000) / 250 - 2;
}

int64_t numberAtRandom(void)
{
    static const int64_t odd[] = {INT64_MIN, INT64_MAX, -1, INT32_MIN, INT32_MAX, 1000, 1 << 20, -1000, (int64_t)1 << 40};
    if (is_tame && happens(97)) {
        return happens(70) ? 1 : below(4);
    }
    return happens(5) ? odd[below(sizeof odd / sizeof *odd)] : happens(80) ? below(4) : below(12) - 5;
}

/* What is left of the call's template; NULL without one. */
static const char *shapes_left;
static int64_t sizes[26];

static const char *templateOf(const char *name)
{
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        if (strcmp(templates[i].operator, name) == 0) {
            return templates[i].shapes;
        }
    }
    return NULL;
}

/* The next shape; false where there is none. */
static bool shapeFromTemplate(int *rank, int64_t dims[RANK], bool *is_index)
{
    *rank = 0;
    *is_index = *shapes_left == '#';
    shapes_left += *is_index;
    for (; *shapes_left != '\0' && *shapes_left != ' ' && *shapes_left != ',' && *shapes_left != '-'; shapes_left++) {
        char letter = *shapes_left;
        dims[(*rank)++] = letter >= 'a'   ? sizes[letter - 'a']
                          : letter == 'Q' ? 4 * sizes['h' - 'a']
                          : letter == 'R' ? 3 * sizes['h' - 'a']
                                          : letter - '0';
    }
    bool is_there = *shapes_left != '-';
    shapes_left += *shapes_left != '\0';
    shapes_left += !is_there && *shapes_left != '\0';
    if (*rank > 0 && happens(3)) {
        dims[below(*rank)] = sizeAtRandom();
    }
    return is_there;
}

int listedNext(int otherwise)
{
    if (shapes_left == NULL) {
        return otherwise;
    }
    int count = 1;
    for (const char *at = shapes_left; *at != '\0' && *at != ' '; at++) {
        count += *at == ',';
    }
    return *shapes_left == '-' ? 0 : count;
}

static void shapeByChance(int *rank, int64_t dims[RANK])
{
    *rank = base_rank;
    memcpy(dims, base, sizeof base);
    int way = (int)below(20);
    if (way < 9) {
        return;
    }
    int axis = *rank > 0 ? (int)below(*rank) : 0;
    switch (way) {
    case 9:
    case 10:
        dims[axis] = sizeAtRandom();
        break;
    case 11:
        dims[axis] = 1;
        break;
    case 12:
    case 13: /* without an axis */
        if (*rank > 0) {
            memmove(dims + axis, dims + axis + 1, sizeof *dims * (size_t)(*rank - axis - 1));
            --*rank;
        }
        break;
    case 14: /* one of its sizes */
        dims[0] = *rank > 0 ? dims[axis] : 1;
        *rank = 1;
        break;
    case 15:
        *rank = 0;
        break;
    case 16: /* one more */
        if (*rank < RANK) {
            dims[(*rank)++] = sizeAtRandom();
        }
        break;
    case 17: /* one element */
        *rank = 1;
        dims[0] = 1;
        break;
    case 18:
        *rank = (int)below(3);
        for (int i = 0; i < *rank; i++) {
            dims[i] = sizeAtRandom();
        }
        break;
    default:
        *rank = (int)below(RANK + 1);
        for (int i = 0; i < *rank; i++) {
            dims[i] = *rank > 4 ? 1 + below(2) : sizeAtRandom();
        }
    }
}

bool shapeAtRandom(int *rank, int64_t dims[RANK], bool *is_index)
{
    *is_index = false;
    if (shapes_left != NULL) {
        return shapeFromTemplate(rank, dims, is_index);
    }
    shapeByChance(rank, dims);
    return true;
}

void chanceBegin(uint64_t seed, const char *operator)
{
    state = seed * 0x2545f4914f6cdd1d + 1;
    base_rank = happens(5) ? (int)below(RANK + 1) : (int)below(5);
    for (int i = 0; i < RANK; i++) {
        base[i] = base_rank > 4 ? 1 + below(2) : happens(50) && i > 0 ? base[i - 1] : sizeAtRandom();
    }
    for (int i = 0; i < 26; i++) {
        sizes[i] = happens(2) ? 0 : 1 + below(4);
    }
    shapes_left = happens(80) ? templateOf(operator) : NULL;
    is_tame = shapes_left != NULL;
    base_type = is_tame || happens(60) ? ACL_FLOAT : happens(50) ? ACL_INT64 : typeAtRandom();
}

aclDataType baseType(void)
{
    return base_type;
}

int baseRank(void)
{
    return base_rank;
}

bool isTame(void)
{
    return is_tame;
}
