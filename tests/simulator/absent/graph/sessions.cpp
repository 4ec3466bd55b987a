// Graphs and their sessions: a graph takes what it is given and keeps nothing, and no session takes a graph, so that whoever needs one says so.
#include "graph.h"

namespace ge __attribute__((visibility("default"))) {

class Operator;
class Allocator;
class GNode;
using Node = std::shared_ptr<GNode>;

class GNode {
public:
    graphStatus GetName(AscendString &name) const;
    graphStatus GetType(AscendString &type) const;
    std::size_t GetInputsSize() const;
    std::size_t GetOutputsSize() const;
    std::vector<Node> GetInControlNodes() const;
    std::vector<Node> GetOutControlNodes() const;
    std::pair<Node, std::int32_t> GetInDataNodesAndPortIndexs(std::int32_t at) const;
    std::vector<std::pair<Node, std::int32_t>> GetOutDataNodesAndPortIndexs(std::int32_t at) const;

private:
    std::shared_ptr<void> impl_;
};

graphStatus GNode::GetName(AscendString &) const
{
    return GRAPH_FAILED;
}

graphStatus GNode::GetType(AscendString &) const
{
    return GRAPH_FAILED;
}

std::size_t GNode::GetInputsSize() const
{
    return 0;
}

std::size_t GNode::GetOutputsSize() const
{
    return 0;
}

std::vector<Node> GNode::GetInControlNodes() const
{
    return {};
}

std::vector<Node> GNode::GetOutControlNodes() const
{
    return {};
}

std::pair<Node, std::int32_t> GNode::GetInDataNodesAndPortIndexs(std::int32_t) const
{
    return {nullptr, -1};
}

std::vector<std::pair<Node, std::int32_t>> GNode::GetOutDataNodesAndPortIndexs(std::int32_t) const
{
    return {};
}

// A serialized graph: there is none.
class GraphBuffer {
public:
    GraphBuffer();
    ~GraphBuffer();
    const std::uint8_t *GetData() const;
    std::size_t GetSize() const;
};

GraphBuffer::GraphBuffer() = default;
GraphBuffer::~GraphBuffer() = default;

const std::uint8_t *GraphBuffer::GetData() const
{
    return nullptr;
}

std::size_t GraphBuffer::GetSize() const
{
    return 0;
}

class Graph {
public:
    explicit Graph(const std::string &name);
    explicit Graph(const char *name);
    const std::string &GetName() const;
    Graph &SetInputs(const std::vector<Operator> &inputs);
    Graph &SetOutputs(const std::vector<Operator> &outputs);
    Graph &SetOutputs(const std::vector<std::pair<Operator, std::string>> &outputs);
    void SetNeedIteration(bool is_needed);
    std::vector<GNode> GetDirectNode() const;
    graphStatus RemoveNode(GNode &node);
    graphStatus RemoveEdge(GNode &from, std::int32_t output, GNode &to, std::int32_t input);
    graphStatus AddDataEdge(GNode &from, std::int32_t output, GNode &to, std::int32_t input);
    graphStatus AddControlEdge(GNode &from, GNode &to);
    graphStatus SaveToFile(const std::string &path) const;
    graphStatus SaveToMem(GraphBuffer &buffer) const;

private:
    std::shared_ptr<std::string> impl_;
};

Graph::Graph(const std::string &name) : impl_(std::make_shared<std::string>(name)) {}
Graph::Graph(const char *name) : Graph(std::string(name == nullptr ? "" : name)) {}

const std::string &Graph::GetName() const
{
    return *impl_;
}

Graph &Graph::SetInputs(const std::vector<Operator> &)
{
    return *this;
}

Graph &Graph::SetOutputs(const std::vector<Operator> &)
{
    return *this;
}

Graph &Graph::SetOutputs(const std::vector<std::pair<Operator, std::string>> &)
{
    return *this;
}

void Graph::SetNeedIteration(bool) {}

std::vector<GNode> Graph::GetDirectNode() const
{
    return {};
}

graphStatus Graph::RemoveNode(GNode &)
{
    return GRAPH_FAILED;
}

graphStatus Graph::RemoveEdge(GNode &, std::int32_t, GNode &, std::int32_t)
{
    return GRAPH_FAILED;
}

graphStatus Graph::AddDataEdge(GNode &, std::int32_t, GNode &, std::int32_t)
{
    return GRAPH_FAILED;
}

graphStatus Graph::AddControlEdge(GNode &, GNode &)
{
    return GRAPH_FAILED;
}

graphStatus Graph::SaveToFile(const std::string &) const
{
    return GRAPH_FAILED;
}

graphStatus Graph::SaveToMem(GraphBuffer &) const
{
    return GRAPH_FAILED;
}

// What a compiled graph needs. None is ever compiled.
class CompiledGraphSummary {
public:
    bool IsStatic() const;
    graphStatus GetEventNum(std::size_t &count) const;
    graphStatus GetStreamNum(std::size_t &count) const;
    graphStatus GetConstMemorySize(std::size_t &bytes) const;
    graphStatus GetFeatureMemorySize(std::size_t &bytes) const;
    graphStatus GetFixedFeatureMemorySize(std::size_t &bytes) const;
    graphStatus GetRefreshableFeatureMemorySize(std::size_t &bytes) const;
    graphStatus GetFeatureMemoryBaseRefreshable(bool &can) const;
    graphStatus GetOutputShapes(std::vector<Shape> &shapes) const;
    graphStatus GetOutputDtypes(std::vector<DataType> &types) const;
    graphStatus GetIOIndexesWithSameAddr(std::vector<std::pair<std::uint32_t, std::uint32_t>> &pairs) const;
};

bool CompiledGraphSummary::IsStatic() const
{
    return false;
}

#define REFUSED \
    { \
        return GRAPH_FAILED; \
    }

graphStatus CompiledGraphSummary::GetEventNum(std::size_t &) const REFUSED
graphStatus CompiledGraphSummary::GetStreamNum(std::size_t &) const REFUSED
graphStatus CompiledGraphSummary::GetConstMemorySize(std::size_t &) const REFUSED
graphStatus CompiledGraphSummary::GetFeatureMemorySize(std::size_t &) const REFUSED
graphStatus CompiledGraphSummary::GetFixedFeatureMemorySize(std::size_t &) const REFUSED
graphStatus CompiledGraphSummary::GetRefreshableFeatureMemorySize(std::size_t &) const REFUSED
graphStatus CompiledGraphSummary::GetFeatureMemoryBaseRefreshable(bool &) const REFUSED
graphStatus CompiledGraphSummary::GetOutputShapes(std::vector<Shape> &) const REFUSED
graphStatus CompiledGraphSummary::GetOutputDtypes(std::vector<DataType> &) const REFUSED
graphStatus CompiledGraphSummary::GetIOIndexesWithSameAddr(std::vector<std::pair<std::uint32_t, std::uint32_t>> &) const REFUSED

class Session {
public:
    using Tensors = std::vector<Tensor>;
    using Callback = graphStatus (*)(std::uint32_t, const std::map<std::string, Tensor> &);

    explicit Session(const Options &options);
    ~Session();
    graphStatus AddGraph(std::uint32_t id, const Graph &graph, const Options &options);
    graphStatus CompileGraph(std::uint32_t id);
    graphStatus RemoveGraph(std::uint32_t id);
    graphStatus RunGraph(std::uint32_t id, const Tensors &inputs, Tensors &outputs);
    graphStatus RunGraphAsync(std::uint32_t id, const Tensors &inputs, std::function<void(graphStatus, Tensors &)> end);
    graphStatus RunGraphWithStreamAsync(std::uint32_t id, void *stream, const Tensors &inputs, Tensors &outputs);
    graphStatus RegisterCallBackFunc(const std::string &name, const Callback &callback);
    std::shared_ptr<CompiledGraphSummary> GetCompiledGraphSummary(std::uint32_t id);
    graphStatus SetGraphConstMemoryBase(std::uint32_t id, const void *memory, std::size_t size);
    graphStatus SetGraphFixedFeatureMemoryBase(std::uint32_t id, const void *memory, std::size_t size);
    graphStatus UpdateGraphFeatureMemoryBase(std::uint32_t id, const void *memory, std::size_t size);
    graphStatus UpdateGraphRefreshableFeatureMemoryBase(std::uint32_t id, const void *memory, std::size_t size);
    graphStatus RegisterExternalAllocator(const void *stream, std::shared_ptr<Allocator> allocator) const;
    graphStatus UnregisterExternalAllocator(const void *stream) const;
};

Session::Session(const Options &) {}
Session::~Session() = default;

std::shared_ptr<CompiledGraphSummary> Session::GetCompiledGraphSummary(std::uint32_t)
{
    return nullptr;
}

graphStatus Session::RegisterExternalAllocator(const void *, std::shared_ptr<Allocator>) const
{
    return GRAPH_SUCCESS;
}

graphStatus Session::UnregisterExternalAllocator(const void *) const
{
    return GRAPH_SUCCESS;
}

graphStatus Session::RegisterCallBackFunc(const std::string &, const Callback &)
{
    return GRAPH_SUCCESS;
}

graphStatus Session::AddGraph(std::uint32_t, const Graph &, const Options &) REFUSED
graphStatus Session::CompileGraph(std::uint32_t) REFUSED
graphStatus Session::RemoveGraph(std::uint32_t) REFUSED
graphStatus Session::RunGraph(std::uint32_t, const Tensors &, Tensors &) REFUSED
graphStatus Session::RunGraphAsync(std::uint32_t, const Tensors &, std::function<void(graphStatus, Tensors &)>) REFUSED
graphStatus Session::RunGraphWithStreamAsync(std::uint32_t, void *, const Tensors &, Tensors &) REFUSED
graphStatus Session::SetGraphConstMemoryBase(std::uint32_t, const void *, std::size_t) REFUSED
graphStatus Session::SetGraphFixedFeatureMemoryBase(std::uint32_t, const void *, std::size_t) REFUSED
graphStatus Session::UpdateGraphFeatureMemoryBase(std::uint32_t, const void *, std::size_t) REFUSED
graphStatus Session::UpdateGraphRefreshableFeatureMemoryBase(std::uint32_t, const void *, std::size_t) REFUSED

// Types that an operator's registration lists.
class TensorType {
public:
    explicit TensorType(const std::initializer_list<DataType> &types);

private:
    std::shared_ptr<void> impl_;
};

TensorType::TensorType(const std::initializer_list<DataType> &) {}

class Promote {
public:
    explicit Promote(const std::initializer_list<const char *> &symbols);

private:
    std::shared_ptr<void> impl_;
};

Promote::Promote(const std::initializer_list<const char *> &) {}

} // namespace ge
