// Classes of the graph engine that MindSpore holds by value, copies and destroys inline: their layouts are the real ones', one counted
// pointer each, behind a table of functions where there is a virtual one. Their strings are those of the old ABI of libstdc++.
#ifndef SIMULATOR_ABSENT_GRAPH_H
#define SIMULATOR_ABSENT_GRAPH_H

#define _GLIBCXX_USE_CXX11_ABI 0

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ge __attribute__((visibility("default"))) {

using graphStatus = std::uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
using Strings = std::vector<std::string>;
using Options = std::map<std::string, std::string>;

enum DataType : int { DT_FLOAT = 0, DT_UNDEFINED = 28 };
enum Format : int { FORMAT_ND = 2 };
enum Placement : int { kPlacementHost = 0 };

class AscendString {
public:
    AscendString(const char *name);
    bool operator<(const AscendString &other) const;
    const char *GetString() const;

private:
    std::shared_ptr<std::string> name_;
};

class Shape {
public:
    Shape();
    explicit Shape(const std::vector<std::int64_t> &dims);
    std::size_t GetDimNum() const;
    std::int64_t GetDim(std::size_t at) const;
    std::vector<std::int64_t> GetDims() const;
    graphStatus SetDim(std::size_t at, std::int64_t value);

private:
    std::shared_ptr<std::vector<std::int64_t>> impl_;
};

struct Description;

class TensorDesc {
public:
    TensorDesc();
    TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT);
    TensorDesc(const TensorDesc &other);
    TensorDesc(TensorDesc &&other);
    TensorDesc &operator=(const TensorDesc &other);
    Shape GetShape() const;
    Shape GetOriginShape() const;
    Format GetFormat() const;
    DataType GetDataType() const;
    Placement GetPlacement() const;
    void SetShape(const Shape &shape);
    void SetOriginShape(const Shape &shape);
    void SetFormat(Format format);
    void SetOriginFormat(Format format);
    void SetDataType(DataType type);
    void SetPlacement(Placement placement);
    void SetRealDimCnt(std::int64_t count);

private:
    std::shared_ptr<Description> impl_;
};

struct Contents;

class Tensor {
public:
    Tensor();
    explicit Tensor(const TensorDesc &description);
    Tensor(const TensorDesc &description, const std::uint8_t *data, std::size_t size);
    TensorDesc GetTensorDesc() const;
    std::uint8_t *GetData();
    std::size_t GetSize() const;
    graphStatus SetData(const std::uint8_t *data, std::size_t size);
    graphStatus SetData(std::uint8_t *data, std::size_t size, const std::function<void(std::uint8_t *)> &end);
    graphStatus SetData(const std::string &text);
    graphStatus SetData(const Strings &texts);
    graphStatus SetTensorDesc(const TensorDesc &description);
    std::unique_ptr<std::uint8_t[], std::function<void(std::uint8_t *)>> ResetData();

private:
    std::shared_ptr<Contents> impl_;
};

} // namespace ge

#endif
