"""One operator of PyTorch's own tests on the NPU and on the CPU: results, gradients; of few samples the form in place and tensors with strides, too.

Where the CPU refuses a sample, nothing is compared. What is compared must be equal within `torch.testing.assert_close`'s tolerances for its type,
or the operator's own where OpInfo states wider ones (`toleranceOverride`). Counted apart is what is only near: single precision and integers within
the tolerance of PyTorch's `test_compare_cpu`, 1e-3; half precision that is no farther from the result in double precision than the CPU's, or
of which that is true of each operator that it is made of.
"""

import os
import random
import re
import warnings

import torch
from torch.testing._internal.common_device_type import precisionOverride, toleranceOverride
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

PLAIN = {
    torch.float32: (1.3e-6, 1e-5), torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5), torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5), torch.complex128: (1e-7, 1e-7),
}
NARROW = torch.float16, torch.bfloat16
COMPARED = 1e-3  # TestCommon.test_compare_cpu
FEW_SAMPLES = 4
# Random, though PyTorch says so of other devices only, or of samples that name a device.
TIES = ("sort", "argsort", "topk", "kthvalue", "msort")  # which of equal elements comes first is open; single precision has none that are equal
RANDOM = ("randn", "randint", "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu")
# What torch_npu itself does otherwise, whatever the chip computes: names of operators, and what is said of their results.
DIFFERENT = (
    ("", "^torch.float32 .* instead of torch.float64 "),  # there is no double on the chip: results are single
    (r"nn\.functional\.(adaptive_)?max_pool", "^torch.int32 .* instead of torch.int64 "),  # places are of 32 bits
    (r"_?native_batch_norm", r"^torch.(\w+) \(\d+,\) instead of torch.\1 \(0,\)"),  # statistics that are not asked for
    (r"native_layer_norm", r"^torch.float32 \(0,\) instead of torch.float32 \(0, "),  # the same of nothing
    (r"nn\.functional\.binary_cross_entropy_with_logits", "^TreeSpec"),  # the target has no gradient
    (r"_?native_(batch|layer)_norm", r"^torch.float32 .* instead of torch.(b?float16) "),  # statistics are of single precision
    (r"logit|native_dropout_backward", r"^torch\.\w+ .* instead of torch\.float32"),  # integers stay integers
    (r"addbmm", "doesn't match the broadcast shape"),
    (r"linalg\.eig$", "call aclnn(Mm|BatchMatMul) failed"),  # the chip has no products of complex matrices
    (r"cdist$", "CdistGrad"),  # gradients of batches that were broadcast are not added up
)


class Wrong(Exception):
    """Results differ."""


class Different(Exception):
    """Values differ of an operator that PyTorch does not compare: random ones, and those with more than one right answer."""


def stated(op, dtype):
    """Tolerances of results of that type, and whether PyTorch compares devices for this operator at all."""
    relative, absolute = PLAIN.get(dtype, (0, 0))
    is_compared = True
    for each in op.get_decorators("TestCommon", "test_compare_cpu", "privateuse1", dtype, {}):
        if isinstance(each, toleranceOverride) and dtype in each.d:
            absolute, relative = max(absolute, each.d[dtype].atol), max(relative, each.d[dtype].rtol)
        elif isinstance(each, precisionOverride) and dtype in each.d:
            absolute = max(absolute, each.d[dtype])
        elif re.match(r"(skip|expectedFailure)", getattr(each, "__qualname__", "")):
            is_compared = False
    return relative, absolute, is_compared


def with_bits(mask):
    """The chip's mask of a dropout: a bit for each element, in whole units of 128."""
    whole = torch.nn.functional.pad(mask.flatten().to(torch.uint8), (0, -mask.numel() % 128))
    return (whole.view(-1, 8) << torch.arange(8)).sum(1).to(torch.uint8)


def moved(value):
    """The same on the NPU."""
    if isinstance(value, torch.Tensor):
        return value.detach().npu().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        parts = [moved(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {name: torch.device("npu") if name == "device" else moved(each) for name, each in value.items()}
    return value


def spread(value):
    """The same on the NPU, where each tensor is every second element of a larger one."""

    def every_second(each):
        if not isinstance(each, torch.Tensor) or each.dim() == 0 or each.layout != torch.strided:
            return each
        wide = torch.zeros(*each.shape[:-1], 2 * each.shape[-1], dtype=each.dtype).npu()
        wide[..., ::2] = each
        return wide[..., ::2]

    return pytree.tree_map(every_second, moved(value))


def copied(value):
    """Leaves of their own: what one run writes, another one must not read."""
    return pytree.tree_map(lambda each: each.detach().clone().requires_grad_(each.requires_grad) if isinstance(each, torch.Tensor) else each, value)


class Case:
    """An operator with one type of numbers."""

    def __init__(self, op, dtype, most):
        self.op, self.dtype, self.most = op, dtype, most
        self.counts = {"same": 0, "near": 0, "free": 0, "differs": 0, "wrong": 0, "stand-in": 0, "refused": 0, "skipped": 0}
        self.details = {}
        self.is_compared = stated(op, dtype)[2] and op.name not in RANDOM and (dtype == torch.float32 or op.name not in TIES)

    def samples(self, needs_gradients):
        torch.manual_seed(0)
        random.seed(0)
        every = list(self.op.sample_inputs("cpu", self.dtype, requires_grad=needs_gradients))
        step = max(1, -(-len(every) // self.most))
        return every[::step]

    def compare(self, found, expected):
        """Whether everything of the same type and shape is equal within what PyTorch states; raises `Wrong` where it is not near either."""
        left, form = pytree.tree_flatten(found)
        right, other = pytree.tree_flatten(expected)
        if len(left) != len(right):
            raise Wrong(f"{form} instead of {other}")
        is_same = True
        for one, two in zip(left, right):
            if not isinstance(two, torch.Tensor):
                if not self.is_compared and type(one) is type(two):
                    continue
                if isinstance(two, float):
                    one, two = torch.tensor(float(one), dtype=torch.float32), torch.tensor(two, dtype=torch.float32)
                elif one != two:
                    raise Wrong(f"{one} instead of {two}")
                else:
                    continue
            is_same &= self.compare_tensors(one.detach().cpu(), two.detach())
        return is_same

    def compare_tensors(self, found, expected):
        if form_of(found) != form_of(expected):
            return True
        relative, absolute, _ = stated(self.op, expected.dtype)
        try:
            torch.testing.assert_close(found, expected, rtol=relative, atol=absolute, equal_nan=True)
            return True
        except AssertionError as error:
            kind, text = Wrong if self.is_compared else Different, str(error)
        if expected.dtype not in (torch.float32, torch.int64):
            raise kind(text)
        try:
            torch.testing.assert_close(found, expected, rtol=COMPARED, atol=COMPARED, equal_nan=True)
            return False
        except AssertionError:
            raise kind(text) from None

    def attempt(self, phase, on_cpu, on_npu, in_double):
        """One comparison, whatever happens. False if nothing can be queued any more."""
        try:
            expected = on_cpu()
        except Exception:
            self.counts["skipped"] += 1
            return True
        kind, detail = "same", None
        try:
            found = on_npu()
            torch.npu.synchronize()  # results may have been copied to the host meanwhile
            kind = self.judged(found, expected, on_npu, in_double)
            check_forms(found, expected)
        except Different as error:
            kind, detail = "free", str(error)
        except Wrong as error:
            kind, detail = "wrong", str(error)
        except Exception as error:
            kind, detail = sorted_out(error)
        if kind == "wrong" and any(re.match(name, self.op.name) and re.search(text, detail) for name, text in DIFFERENT):
            kind = "differs"
        self.counts[kind] += 1
        if detail is not None:
            self.details.setdefault(kind, f"{phase}: " + " ".join(detail.split())[:600])
        return detail is None or "Inner error" not in detail

    def judged(self, found, expected, on_npu, in_double):
        try:
            return "same" if self.compare(found, expected) else "near"
        except Wrong:
            if self.dtype not in NARROW or not (is_nearer(found, expected, in_double) or self.has_right_steps(on_npu)):
                raise
            return "near"

    def has_right_steps(self, on_npu):
        """Whether each operator of which this one is made rounds no worse than the CPU does with the same operands."""
        with Steps(self) as steps:
            on_npu()
        return steps.count > 1 and steps.wrong is None

    def masked(self, sample):
        """The arguments of a dropout's gradient for the CPU and for the chip. A scale of 1 is that of a dropout that keeps everything."""
        mask, scale = sample.args if sample.args else (sample.kwargs["mask"], sample.kwargs["scale"])
        mask = torch.ones_like(mask) if scale == 1 else mask
        return (sample.input, (mask, scale), {}), (sample.input, (with_bits(mask), scale), {})

    def attempts(self):
        """Every comparison: what it is called, and how each device computes it."""
        has_gradients = self.op.supports_autograd and self.dtype in self.op.supported_backward_dtypes("cpu")
        in_place = self.op.get_inplace()
        for number, sample in enumerate(self.samples(has_gradients)):
            here = there = sample.input, tuple(sample.args), dict(sample.kwargs)
            if self.op.name == "native_dropout_backward":
                here, there = self.masked(sample)
            ways = [("sample", self.forward, self.op)]
            if has_gradients:
                ways.append(("gradient", self.backward, self.op))
            if number < FEW_SAMPLES and in_place:
                ways.append(("in place", self.in_place, in_place))
            for name, way, function in ways:
                # A gradient multiplies by the mask, whatever the chip's form of it is.
                seen = here if way == self.backward else there
                yield (
                    f"{name} {number}",
                    lambda way=way, f=function, s=sample, h=here: way(f, s, copied(h)),
                    lambda way=way, f=function, s=sample, h=seen: way(f, s, moved(h)),
                    lambda way=way, f=function, s=sample, h=here: way(f, s, widened(h)),
                )
            if number < FEW_SAMPLES and not self.op.name.startswith("as_strided"):
                yield (
                    f"strided {number}",
                    lambda s=sample, h=here: self.forward(self.op, s, h),
                    lambda s=sample, h=there: self.forward(self.op, s, spread(h)),
                    lambda s=sample, h=here: self.forward(self.op, s, widened(h)),
                )

    def run(self, first):
        """All comparisons from that one on, or up to one after which nothing can be queued."""
        following = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number, attempt in enumerate(self.attempts()):
                if number >= first and not self.attempt(*attempt):
                    following = number + 1
                    break
        return {"counts": self.counts, "details": self.details, "next": following}

    def in_place(self, function, sample, given):
        with torch.no_grad():
            return self.forward(function, sample, given)

    def forward(self, function, sample, given):
        first, others, named = given
        torch.manual_seed(0)
        result = function(first, *others, **named)
        return sample.output_process_fn_grad(result) if self.is_compared else result

    def backward(self, function, sample, given):
        results = [each for each in pytree.tree_leaves(self.forward(function, sample, given)) if isinstance(each, torch.Tensor) and each.requires_grad]
        leaves = [each for each in pytree.tree_leaves(given) if isinstance(each, torch.Tensor) and each.requires_grad]
        weights = [self.weights_of(each) for each in results]
        if not results or not leaves:
            return []
        return [each for each in torch.autograd.grad(results, leaves, weights, allow_unused=True) if each is not None]

    def weights_of(self, result):
        """What a result's elements weigh in the sum whose gradient is taken: the same on both devices and in double precision, none of them alike."""
        weights = torch.linspace(0.5, 1.5, result.numel(), dtype=torch.float64).view(result.shape)
        return weights.to(self.dtype if self.dtype in NARROW else result.dtype).to(result.dtype).to(result.device)


class Steps(TorchDispatchMode):
    """Computes each operator that runs on the NPU on the CPU, too, from the operands that the NPU had."""

    def __init__(self, case):
        super().__init__()
        self.case, self.count, self.wrong = case, 0, None

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        given = hosted((arguments, named or {}))
        found = function(*arguments, **(named or {}))
        if self.wrong is None and any(isinstance(each, torch.Tensor) for each in pytree.tree_leaves(found)):
            self.count += 1
            try:
                (first, more), (wide, wider) = copied(given), widened(given)
                expected = function(*first, **more)
                if not self.is_right(found, expected, lambda: function(*wide, **wider)):
                    self.wrong = str(function)
            except Exception as error:
                self.wrong = f"{function}: {error}"
        return found

    def is_right(self, found, expected, in_double):
        try:
            self.case.compare(found, expected)
            return True
        except Wrong:
            return is_nearer(found, expected, in_double)


def hosted(value):
    """The same on the CPU."""

    def there(each):
        if isinstance(each, torch.device):
            return torch.device("cpu")
        return each.detach().cpu() if isinstance(each, torch.Tensor) else each

    return pytree.tree_map(there, value)


def form_of(tensor):
    return f"{tensor.dtype} {tuple(tensor.shape)}"


def check_forms(found, expected):
    """Raises `Wrong` where a type or a shape is another one."""
    for one, two in zip(pytree.tree_leaves(found), pytree.tree_leaves(expected)):
        if isinstance(two, torch.Tensor) and form_of(one) != form_of(two):
            raise Wrong(f"{form_of(one)} instead of {form_of(two)}")


def widened(value):
    """The same in double precision."""

    def wide(each):
        if isinstance(each, torch.Tensor) and each.dtype in NARROW:
            return each.detach().double().requires_grad_(each.requires_grad)
        return torch.float64 if each in NARROW else each

    return pytree.tree_map(wide, value)


def is_nearer(found, expected, in_double):
    """Whether the NPU's results are no farther from the exact ones than the CPU's: what PyTorch asks of its own references in half precision."""
    try:
        exact = pytree.tree_leaves(in_double())
    except Exception:
        return False
    pairs = list(zip(pytree.tree_leaves(found), pytree.tree_leaves(expected), exact))
    for one, other, right in pairs:
        if not isinstance(other, torch.Tensor):
            return False
        if form_of(one) != form_of(other):
            continue
        distances = [torch.nan_to_num((each.detach().cpu().double() - right.double()).abs(), nan=torch.inf).sum() for each in (one, other)]
        if not distances[0] <= distances[1]:
            return False
    return True


def sorted_out(error):
    """Who refused."""
    text = str(error).split("[ERROR]")[0]
    if isinstance(error, NotImplementedError) or "not implemented for" in text:
        return "refused", text
    failing = re.search(r"call (aclnn\w+) failed, error code is (\d+)", text)
    if failing and f"`{failing[1]}` is not computed" in said():
        return "stand-in", failing[1]
    if "aclopCompileAndExecute" in text or "100024" in text or "100026" in text:
        return "stand-in", text
    if failing or "NPU function error" in text or "Inner error" in text:
        return "wrong", text
    return "refused", text


def said():
    """What this process has printed, which is a file."""
    with open(f"/proc/{os.getpid()}/fd/2", errors="replace") as lines:
        return lines.read()


def fallen_back():
    """Operators that torch_npu had the CPU compute; it names each once in a process."""
    return sorted(set(re.findall(r"The operator 'aten::([\w.]+)' is not currently supported on the NPU", said())))
