// Names, shapes and tensors of the graph engine: they hold what they are given, and no graph ever asks for it.
#include "graph.h"

namespace ge __attribute__((visibility("default"))) {

AscendString::AscendString(const char *name) : name_(std::make_shared<std::string>(name == nullptr ? "" : name)) {}

const char *AscendString::GetString() const
{
    return name_ ? name_->c_str() : "";
}

bool AscendString::operator<(const AscendString &other) const
{
    return std::string(GetString()) < other.GetString();
}

Shape::Shape() : Shape(std::vector<std::int64_t>()) {}

Shape::Shape(const std::vector<std::int64_t> &dims) : impl_(std::make_shared<std::vector<std::int64_t>>(dims)) {}

std::size_t Shape::GetDimNum() const
{
    return impl_ ? impl_->size() : 0;
}

std::int64_t Shape::GetDim(std::size_t at) const
{
    return at < GetDimNum() ? (*impl_)[at] : 0;
}

std::vector<std::int64_t> Shape::GetDims() const
{
    return impl_ ? *impl_ : std::vector<std::int64_t>();
}

graphStatus Shape::SetDim(std::size_t at, std::int64_t value)
{
    if (at >= GetDimNum())
        return GRAPH_FAILED;
    (*impl_)[at] = value;
    return GRAPH_SUCCESS;
}

struct Description {
    Shape shape, origin;
    Format format;
    DataType type;
};

TensorDesc::TensorDesc() : TensorDesc(Shape()) {}

TensorDesc::TensorDesc(Shape shape, Format format, DataType type)
    : impl_(std::make_shared<Description>(Description{shape, shape, format, type}))
{
}

TensorDesc::TensorDesc(const TensorDesc &other) : impl_(std::make_shared<Description>(*other.impl_)) {}

// The moved object keeps its description: its owner still destroys it, and may assign to it.
TensorDesc::TensorDesc(TensorDesc &&other) : impl_(other.impl_) {}

TensorDesc &TensorDesc::operator=(const TensorDesc &other)
{
    impl_ = std::make_shared<Description>(*other.impl_);
    return *this;
}

Shape TensorDesc::GetShape() const
{
    return impl_->shape;
}

Shape TensorDesc::GetOriginShape() const
{
    return impl_->origin;
}

Format TensorDesc::GetFormat() const
{
    return impl_->format;
}

DataType TensorDesc::GetDataType() const
{
    return impl_->type;
}

Placement TensorDesc::GetPlacement() const
{
    return kPlacementHost;
}

void TensorDesc::SetShape(const Shape &shape)
{
    impl_->shape = shape;
}

void TensorDesc::SetOriginShape(const Shape &shape)
{
    impl_->origin = shape;
}

void TensorDesc::SetFormat(Format format)
{
    impl_->format = format;
}

void TensorDesc::SetOriginFormat(Format) {}

void TensorDesc::SetDataType(DataType type)
{
    impl_->type = type;
}

void TensorDesc::SetPlacement(Placement) {}

void TensorDesc::SetRealDimCnt(std::int64_t) {}

struct Contents {
    TensorDesc description;
    std::shared_ptr<std::uint8_t> data;
    std::size_t size;
};

Tensor::Tensor() : Tensor(TensorDesc()) {}

Tensor::Tensor(const TensorDesc &description) : impl_(std::make_shared<Contents>(Contents{description, nullptr, 0})) {}

Tensor::Tensor(const TensorDesc &description, const std::uint8_t *data, std::size_t size) : Tensor(description)
{
    SetData(data, size);
}

TensorDesc Tensor::GetTensorDesc() const
{
    return impl_->description;
}

std::uint8_t *Tensor::GetData()
{
    return impl_->data.get();
}

std::size_t Tensor::GetSize() const
{
    return impl_->size;
}

graphStatus Tensor::SetData(const std::uint8_t *data, std::size_t size)
{
    if (data == nullptr && size > 0)
        return GRAPH_FAILED;
    impl_->data = std::shared_ptr<std::uint8_t>(new std::uint8_t[size], std::default_delete<std::uint8_t[]>());
    std::copy(data, data + size, impl_->data.get());
    impl_->size = size;
    return GRAPH_SUCCESS;
}

graphStatus Tensor::SetData(std::uint8_t *data, std::size_t size, const std::function<void(std::uint8_t *)> &end)
{
    impl_->data = std::shared_ptr<std::uint8_t>(data, end);
    impl_->size = size;
    return GRAPH_SUCCESS;
}

graphStatus Tensor::SetData(const std::string &text)
{
    return SetData(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
}

graphStatus Tensor::SetData(const Strings &)
{
    return GRAPH_FAILED;
}

graphStatus Tensor::SetTensorDesc(const TensorDesc &description)
{
    impl_->description = description;
    return GRAPH_SUCCESS;
}

// Hands the bytes to the caller; only results of graphs are asked for them.
std::unique_ptr<std::uint8_t[], std::function<void(std::uint8_t *)>> Tensor::ResetData()
{
    auto data = std::move(impl_->data);
    impl_->size = 0;
    return {data.get(), [data](std::uint8_t *) mutable { data.reset(); }};
}

} // namespace ge
