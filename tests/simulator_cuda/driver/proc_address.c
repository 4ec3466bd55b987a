/* cuGetProcAddress in both of its forms, for either default stream. */
#include "../engine/state.h"

#undef cuGetProcAddress /* both forms are defined here */

CUresult driverLookUp(const char *symbol, void **function, int version, uint64_t flags, int by_default,
                      CUdriverProcAddressQueryResult *status);

enum { LEGACY_BY_DEFAULT = 1, OWN_BY_DEFAULT = 2 };

#define FORM(suffix, by_default) \
    EXPORT CUresult cuGetProcAddress##suffix(const char *symbol, void **function, int version, cuuint64_t flags) \
    { \
        return driverLookUp(symbol, function, version, flags, by_default, NULL); \
    } \
    EXPORT CUresult cuGetProcAddress_v2##suffix(const char *symbol, void **function, int version, cuuint64_t flags, \
                                                CUdriverProcAddressQueryResult *status) \
    { \
        CUdriverProcAddressQueryResult unused; /* only the first form answers 500 */ \
        return driverLookUp(symbol, function, version, flags, by_default, status ? status : &unused); \
    }

FORM(, LEGACY_BY_DEFAULT)
FORM(_ptsz, OWN_BY_DEFAULT)
