// For callers with the std::string of before C++11, which the DDK's own compiler made.
#define _GLIBCXX_USE_CXX11_ABI 0
#include "send.h"
