// libfmk_onnx_parser.so: the few C++ functions of the graph engine with which a program turns ONNX into an offline model.
//
// What the simulator builds is the ONNX file itself (graph.h), so parsing keeps the bytes, building checks them and
// hands them on. The classes repeat the real ones' layout: a program holds them by value and destroys them inline.

// Strings inside its objects are those of libgraph.so, which has some of the same classes.
#define _GLIBCXX_USE_CXX11_ABI 0

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "acl/acl_mdl.h"

namespace ge __attribute__((visibility("default"))) {

using graphStatus = std::uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;

class AscendString {
public:
    AscendString(const char *name);
    bool operator<(const AscendString &other) const;

private:
    std::shared_ptr<std::string> name_;
};

class GraphImpl {
public:
    std::string onnx;
};

class Graph {
public:
    explicit Graph(const char *name);
    std::shared_ptr<GraphImpl> impl_;
};

struct ModelBufferData {
    std::shared_ptr<std::uint8_t> data;
    std::uint64_t length;
};

using Options = std::map<AscendString, AscendString>;

AscendString::AscendString(const char *name) : name_(std::make_shared<std::string>(name == nullptr ? "" : name)) {}

bool AscendString::operator<(const AscendString &other) const
{
    static const std::string empty;
    return (name_ ? *name_ : empty) < (other.name_ ? *other.name_ : empty);
}

Graph::Graph(const char *) : impl_(std::make_shared<GraphImpl>()) {}

graphStatus aclgrphParseONNXFromMem(const char *buffer, std::size_t size, const Options &, Graph &graph)
{
    if (buffer == nullptr || size == 0 || !graph.impl_)
        return GRAPH_FAILED;
    graph.impl_->onnx.assign(buffer, size);
    return GRAPH_SUCCESS;
}

graphStatus aclgrphBuildInitialize(Options &)
{
    return GRAPH_SUCCESS;
}

void aclgrphBuildFinalize() {}

// Fails for a model with an operator or a shape that the simulator cannot run, as the real one does for its own limits.
graphStatus aclgrphBuildModel(const Graph &graph, const Options &, ModelBufferData &model)
{
    std::size_t work, weights;
    const std::string &onnx = graph.impl_->onnx;
    if (aclmdlQuerySizeFromMem(onnx.data(), onnx.size(), &work, &weights) != ACL_SUCCESS)
        return GRAPH_FAILED;
    model.data = std::shared_ptr<std::uint8_t>(new std::uint8_t[onnx.size()], std::default_delete<std::uint8_t[]>());
    model.length = onnx.size();
    std::memcpy(model.data.get(), onnx.data(), onnx.size());
    return GRAPH_SUCCESS;
}

graphStatus aclgrphSaveModel(const char *name, const ModelBufferData &model)
{
    std::FILE *file = name == nullptr ? nullptr : std::fopen((std::string(name) + ".om").c_str(), "wb");
    if (file == nullptr)
        return GRAPH_FAILED;
    bool whole = std::fwrite(model.data.get(), 1, model.length, file) == model.length;
    return std::fclose(file) == 0 && whole ? GRAPH_SUCCESS : GRAPH_FAILED;
}

} // namespace ge
