/* libge_runner.so and libgraph.so: the graph engine. torch_npu links both and, without graph mode, calls nothing in them.
 * Where C++ is compiled, libgraph.so has graph/ instead, for MindSpore. */
#include "absent.h"

__attribute__((visibility("default"))) extern const int aclsim_graph_engine_is_absent;
const int aclsim_graph_engine_is_absent = 1;
