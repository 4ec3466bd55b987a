// Nodes of a graph: what MindSpore and torch_npu 2.4 register when they are loaded is dropped, and so is what they set, since no graph is
// ever built.
#include "graph.h"

namespace ge __attribute__((visibility("default"))) {

class Graph;
class TensorType;
class Promote;

class Operator {
public:
    explicit Operator(const std::string &type);
    Operator(const std::string &name, const std::string &type);
    explicit Operator(const char *type);
    Operator(const char *name, const char *type);
    Operator(const AscendString &name, const AscendString &type);
    virtual ~Operator() = default;

    std::string GetName() const;
    graphStatus GetName(AscendString &name) const;
    std::string GetOpType() const;
    graphStatus GetOpType(AscendString &type) const;
    int GetDynamicOutputNum(const std::string &name) const;
    TensorDesc GetOutputDesc(const std::string &name) const;
    TensorDesc GetOutputDesc(std::uint32_t at) const;

    Operator &SetInput(const std::string &name, const Operator &from);
    Operator &SetInput(const std::string &name, const Operator &from, const std::string &output);
    Operator &SetInput(const char *name, const Operator &from);
    Operator &SetInput(const char *name, std::uint32_t at, const Operator &from);
    Operator &SetInput(const char *name, std::uint32_t at, const Operator &from, const char *output);
    Operator &AddControlInput(const Operator &from);
    graphStatus UpdateInputDesc(const std::string &name, const TensorDesc &description);
    graphStatus UpdateInputDesc(const char *name, const TensorDesc &description);
    graphStatus UpdateOutputDesc(const std::string &name, const TensorDesc &description);
    graphStatus UpdateOutputDesc(const char *name, const TensorDesc &description);
    graphStatus UpdateDynamicOutputDesc(const char *name, std::uint32_t at, const TensorDesc &description);

// Types of attributes by how they are named, and by how they are passed.
#define BY_STRING(X) \
    X(bool) X(float) X(int) X(std::int64_t) X(const std::string &) X(const Strings &) X(const std::vector<bool> &) \
    X(const std::vector<float> &) X(const std::vector<int> &) X(const std::vector<std::int64_t> &)
#define BY_NAME(X) \
    X(bool) X(float) X(int) X(std::uint32_t) X(std::int64_t) X(const char *) X(const Tensor &) X(const DataType &) \
    X(const std::vector<DataType> &) X(const std::vector<float> &) X(const std::vector<int> &) X(const std::vector<std::int64_t> &) \
    X(const std::vector<std::vector<std::int64_t>> &)
#define READ_BY_STRING(X) X(std::string) X(Strings)
#define READ_BY_NAME(X) \
    X(bool) X(float) X(int) X(std::int64_t) X(Tensor) X(DataType) X(std::vector<DataType>) X(std::vector<float>) X(std::vector<int>) \
    X(std::vector<std::int64_t>) X(std::vector<std::vector<std::int64_t>>)
#define REGISTERED(X) \
    X(bool) X(float) X(std::int64_t) X(const AscendString &) X(const Tensor &) X(const DataType &) X(const std::vector<AscendString> &) \
    X(const std::vector<DataType> &) X(const std::vector<float> &) X(const std::vector<std::int64_t> &) \
    X(const std::vector<std::vector<std::int64_t>> &)

#define DECLARE(type) Operator &SetAttr(const std::string &name, type value);
    BY_STRING(DECLARE)
#undef DECLARE
#define DECLARE(type) Operator &SetAttr(const char *name, type value);
    BY_NAME(DECLARE)
#undef DECLARE
#define DECLARE(type) graphStatus GetAttr(const std::string &name, type &value) const;
    READ_BY_STRING(DECLARE)
#undef DECLARE
#define DECLARE(type) graphStatus GetAttr(const char *name, type &value) const;
    READ_BY_NAME(DECLARE)
#undef DECLARE
#define DECLARE(type) void AttrRegister(const char *name, type value);
    REGISTERED(DECLARE)
#undef DECLARE

    void InputRegister(const std::string &name);
    void InputRegister(const char *name);
    void InputRegister(const char *name, const char *types);
    void OptionalInputRegister(const std::string &name);
    void OptionalInputRegister(const char *name, const char *types);
    void OutputRegister(const std::string &name);
    void OutputRegister(const char *name);
    void OutputRegister(const char *name, const char *types);
    void DynamicInputRegister(const char *name, std::uint32_t count, bool is_last);
    void DynamicInputRegister(const char *name, std::uint32_t count, const char *types, bool is_last);
    void DynamicInputRegisterByIndex(const char *name, std::uint32_t count, std::size_t at);
    void DynamicOutputRegister(const char *name, std::uint32_t count, bool is_last);
    void DynamicOutputRegister(const char *name, std::uint32_t count, const char *types, bool is_last);
    void DataTypeRegister(const char *symbol, const TensorType &type);
    void DataTypeRegister(const char *symbol, const Promote &type);
    void RequiredAttrRegister(const std::string &name);
    void RequiredAttrRegister(const char *name);
    void RequiredAttrWithTypeRegister(const char *name, const char *type);
    void InferFuncRegister(const std::function<graphStatus(Operator &)> &function);
    void SubgraphCountRegister(const char *name, std::uint32_t count);
    void SetSubgraphBuilder(const char *name, std::uint32_t at, const std::function<Graph()> &builder);

private:
    std::shared_ptr<std::pair<std::string, std::string>> impl_; // name, type
};

Operator::Operator(const std::string &type) : Operator("", type) {}
Operator::Operator(const std::string &name, const std::string &type) : impl_(std::make_shared<std::pair<std::string, std::string>>(name, type)) {}
Operator::Operator(const char *type) : Operator(std::string(), type) {}
Operator::Operator(const char *name, const char *type) : Operator(std::string(name), std::string(type)) {}
Operator::Operator(const AscendString &name, const AscendString &type) : Operator(name.GetString(), type.GetString()) {}

std::string Operator::GetName() const
{
    return impl_->first;
}

graphStatus Operator::GetName(AscendString &name) const
{
    name = AscendString(impl_->first.c_str());
    return GRAPH_SUCCESS;
}

std::string Operator::GetOpType() const
{
    return impl_->second;
}

graphStatus Operator::GetOpType(AscendString &type) const
{
    type = AscendString(impl_->second.c_str());
    return GRAPH_SUCCESS;
}

int Operator::GetDynamicOutputNum(const std::string &) const
{
    return 0;
}

TensorDesc Operator::GetOutputDesc(const std::string &) const
{
    return TensorDesc();
}

TensorDesc Operator::GetOutputDesc(std::uint32_t) const
{
    return TensorDesc();
}

#define SELF \
    { \
        return *this; \
    }
#define FAILED \
    { \
        return GRAPH_FAILED; \
    }

Operator &Operator::SetInput(const std::string &, const Operator &) SELF
Operator &Operator::SetInput(const std::string &, const Operator &, const std::string &) SELF
Operator &Operator::SetInput(const char *, const Operator &) SELF
Operator &Operator::SetInput(const char *, std::uint32_t, const Operator &) SELF
Operator &Operator::SetInput(const char *, std::uint32_t, const Operator &, const char *) SELF
Operator &Operator::AddControlInput(const Operator &) SELF
graphStatus Operator::UpdateInputDesc(const std::string &, const TensorDesc &) FAILED
graphStatus Operator::UpdateInputDesc(const char *, const TensorDesc &) FAILED
graphStatus Operator::UpdateOutputDesc(const std::string &, const TensorDesc &) FAILED
graphStatus Operator::UpdateOutputDesc(const char *, const TensorDesc &) FAILED
graphStatus Operator::UpdateDynamicOutputDesc(const char *, std::uint32_t, const TensorDesc &) FAILED

#define DEFINE(type) Operator &Operator::SetAttr(const std::string &, type) SELF
BY_STRING(DEFINE)
#undef DEFINE
#define DEFINE(type) Operator &Operator::SetAttr(const char *, type) SELF
BY_NAME(DEFINE)
#undef DEFINE
#define DEFINE(type) graphStatus Operator::GetAttr(const std::string &, type &) const FAILED
READ_BY_STRING(DEFINE)
#undef DEFINE
#define DEFINE(type) graphStatus Operator::GetAttr(const char *, type &) const FAILED
READ_BY_NAME(DEFINE)
#undef DEFINE
#define DEFINE(type) void Operator::AttrRegister(const char *, type) {}
REGISTERED(DEFINE)
#undef DEFINE

void Operator::InputRegister(const std::string &) {}
void Operator::InputRegister(const char *) {}
void Operator::InputRegister(const char *, const char *) {}
void Operator::OptionalInputRegister(const std::string &) {}
void Operator::OptionalInputRegister(const char *, const char *) {}
void Operator::OutputRegister(const std::string &) {}
void Operator::OutputRegister(const char *) {}
void Operator::OutputRegister(const char *, const char *) {}
void Operator::DynamicInputRegister(const char *, std::uint32_t, bool) {}
void Operator::DynamicInputRegister(const char *, std::uint32_t, const char *, bool) {}
void Operator::DynamicInputRegisterByIndex(const char *, std::uint32_t, std::size_t) {}
void Operator::DynamicOutputRegister(const char *, std::uint32_t, bool) {}
void Operator::DynamicOutputRegister(const char *, std::uint32_t, const char *, bool) {}
void Operator::DataTypeRegister(const char *, const TensorType &) {}
void Operator::DataTypeRegister(const char *, const Promote &) {}
void Operator::RequiredAttrRegister(const std::string &) {}
void Operator::RequiredAttrRegister(const char *) {}
void Operator::RequiredAttrWithTypeRegister(const char *, const char *) {}
void Operator::InferFuncRegister(const std::function<graphStatus(Operator &)> &) {}
void Operator::SubgraphCountRegister(const char *, std::uint32_t) {}
void Operator::SetSubgraphBuilder(const char *, std::uint32_t, const std::function<Graph()> &) {}

class OperatorFactory {
public:
    static Operator CreateOperator(const std::string &name, const std::string &type);
    static Operator CreateOperator(const char *name, const char *type);
    static bool IsExistOp(const std::string &type);
    static bool IsExistOp(const char *type);
};

Operator OperatorFactory::CreateOperator(const std::string &name, const std::string &type)
{
    return Operator(name, type);
}

Operator OperatorFactory::CreateOperator(const char *name, const char *type)
{
    return Operator(name, type);
}

bool OperatorFactory::IsExistOp(const std::string &)
{
    return false;
}

bool OperatorFactory::IsExistOp(const char *)
{
    return false;
}

class OperatorCreatorRegister {
public:
    OperatorCreatorRegister(const std::string &type, const std::function<Operator(const std::string &)> &creator);
    OperatorCreatorRegister(const char *type, const std::function<Operator(const AscendString &)> &creator);
};

OperatorCreatorRegister::OperatorCreatorRegister(const std::string &, const std::function<Operator(const std::string &)> &) {}
OperatorCreatorRegister::OperatorCreatorRegister(const char *, const std::function<Operator(const AscendString &)> &) {}

class InferShapeFuncRegister {
public:
    InferShapeFuncRegister(const std::string &type, const std::function<graphStatus(Operator &)> &function);
};

InferShapeFuncRegister::InferShapeFuncRegister(const std::string &, const std::function<graphStatus(Operator &)> &) {}

} // namespace ge
