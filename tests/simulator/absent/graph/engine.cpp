// The graph engine: MindSpore initializes it before single operators too, which need no graph.
#include "graph.h"

namespace ge __attribute__((visibility("default"))) {

// Codes and their texts; MindSpore adds its own, inline, when it is loaded.
class StatusFactory {
public:
    static StatusFactory *Instance();

private:
    std::map<std::uint32_t, std::string> texts_;
};

StatusFactory *StatusFactory::Instance()
{
    static StatusFactory factory;
    return &factory;
}

graphStatus GEInitialize(const Options &)
{
    return GRAPH_SUCCESS;
}

graphStatus GEFinalize()
{
    return GRAPH_SUCCESS;
}

} // namespace ge
