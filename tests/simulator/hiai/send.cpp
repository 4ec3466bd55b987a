// For callers with today's std::string.
#include "send.h"
