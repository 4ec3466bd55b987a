/* Variables of device code. No binary is ever loaded here, so tests declare them. */
#include <pthread.h>

#include "../engine.h"

#define MOST_SYMBOLS 64

static struct {
    const void *symbol;
    void *address;
    size_t size;
} symbols[MOST_SYMBOLS];
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

aclError rtSymbolRegister(const void *symbol, void *address, size_t size)
{
    pthread_mutex_lock(&lock);
    bool fits = count < MOST_SYMBOLS;
    if (fits) {
        symbols[count].symbol = symbol;
        symbols[count].address = address;
        symbols[count].size = size;
        count++;
    }
    pthread_mutex_unlock(&lock);
    return fits ? ACL_SUCCESS : ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
}

aclError rtSymbolLookup(const void *symbol, void **address, size_t *size)
{
    aclError code = ACL_ERROR_RT_SYMBOL_NOT_FOUND;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].symbol == symbol) {
            *address = symbols[i].address;
            *size = symbols[i].size;
            code = ACL_SUCCESS;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}
