"""Runs a small ONNX model on onnxruntime's CANN execution provider and compares the result with numpy's.

Once operator by operator (aclopCompileAndExecute), once as a whole graph (aclmdlExecuteAsync). Prints `ok`, or fails.
Needs onnxruntime-cann, numpy and onnx, and an AscendCL runtime on the library path: the simulator's, or a real one.
"""

import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

PROVIDER = "CANNExecutionProvider"
RUNS = 3


def make_model(rng: np.random.Generator) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """relu(x @ w + b) * s, float32: a product, a broadcast sum, an activation, a product with a scalar."""
    weights = {
        "w": rng.standard_normal((48, 32)).astype(np.float32),
        "b": rng.standard_normal(32).astype(np.float32),
        "s": np.array([0.5], dtype=np.float32),
    }
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["product"]),
            helper.make_node("Add", ["product", "b"], ["sum"]),
            helper.make_node("Relu", ["sum"], ["active"]),
            helper.make_node("Mul", ["active", "s"], ["y"]),
        ],
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [16, 48])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [16, 32])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    return model, weights


def open_session(model: onnx.ModelProto, whole_graph: bool) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # Without this, nodes that the provider refuses would run on the CPU and the result would still be right.
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    # An optimizer would fuse the product and the sum into Gemm, which the provider has for float16 only.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    provider = (PROVIDER, {"device_id": "0", "enable_cann_graph": "1" if whole_graph else "0"})
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=[provider], enable_fallback=0
    )
    if PROVIDER not in session.get_providers():
        sys.exit(f"{PROVIDER} did not load; the session has {session.get_providers()}")
    return session


def main() -> None:
    rng = np.random.default_rng(7)
    model, weights = make_model(rng)
    for whole_graph in (False, True):
        session = open_session(model, whole_graph)
        for _ in range(RUNS):
            x = rng.standard_normal((16, 48)).astype(np.float32)
            (y,) = session.run(None, {"x": x})
            expected = np.maximum(x @ weights["w"] + weights["b"], 0) * weights["s"]
            np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
        del session
    print("ok")


if __name__ == "__main__":
    # In graph mode the provider looks for .om files in the current folder and leaves them there.
    with tempfile.TemporaryDirectory(prefix="onnxruntime-cann-") as folder:
        os.chdir(folder)
        main()
