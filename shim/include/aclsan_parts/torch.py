"""What memory of a PyTorch program is for: one import, and aclsan knows weights, gradients, optimizer state, activations and KV caches.

    import aclsan.torch

Parameters and buffers are categorized when their module first runs on a device, gradients and optimizer state at each step of an
optimizer, both by `data_ptr()`; what the outermost module allocates while it runs forward is activations. Sharded parameters are
followed by what FSDP documents: flat parameters are parameters, and `to_local()` gives the shard of a DTensor. Attention layers of vLLM
and vllm-ascend have their cache in `kv_cache`. What a version does not have is left out.

Without libaclsan.so preloaded, the import does nothing. Hooks never raise: what cannot be asked is not categorized.
"""

import importlib
import threading

import aclsan

__all__ = ["install", "tag_module", "tag_optimizer"]

_thread = threading.local()
# The address that each tensor was last categorized at, by its id.
_tagged = {}
_MAX_TAGGED = 1 << 20


def _address(tensor):
    """The address of a tensor on a device; 0 for what has none there."""
    try:
        if hasattr(tensor, "to_local"):
            tensor = tensor.to_local()
        if tensor.device.type in ("cpu", "meta") or tensor.numel() == 0:
            return 0
        return int(tensor.data_ptr())
    except Exception:  # fake and functional tensors raise errors of their own
        return 0


def _tag(tensor, category, is_new=False):
    address = _address(tensor)
    if address == 0 or (not is_new and _tagged.get(id(tensor)) == address):
        return
    if len(_tagged) >= _MAX_TAGGED:
        _tagged.clear()
    _tagged[id(tensor)] = address
    aclsan.categorize(address, category)


def _tensors(value, depth=0):
    """The tensors in lists, tuples and dictionaries."""
    if hasattr(value, "data_ptr"):
        yield value
    elif depth < 4 and isinstance(value, dict):
        for one in value.values():
            yield from _tensors(one, depth + 1)
    elif depth < 4 and isinstance(value, (list, tuple)):
        for one in value:
            yield from _tensors(one, depth + 1)


def tag_module(module):
    """Categorizes parameters and buffers of a module and of those in it as weights, and their KV caches."""
    for parameter in module.parameters():
        _tag(parameter, "weights")
    for buffer in module.buffers():
        _tag(buffer, "weights")
    for inner in module.modules():
        for cache in _tensors(getattr(inner, "kv_cache", None)):
            _tag(cache, "kv_cache")


def _tag_gradients(optimizer):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            gradient = getattr(parameter, "grad", None)
            if gradient is not None:
                # Always: the last one may have been released, and this one be at its address.
                _tag(gradient, "gradients", is_new=True)


def tag_optimizer(optimizer):
    """Categorizes gradients of an optimizer's parameters, and its state."""
    _tag_gradients(optimizer)
    for state in optimizer.state.values():
        for tensor in _tensors(state):
            _tag(tensor, "optimizer_state")


def _quietly(function):
    def hook(*arguments, **named):
        try:
            function(*arguments, **named)
        except Exception:
            pass  # the program's own step goes on

    return hook


def _before_forward(module, _inputs):
    depth = getattr(_thread, "depth", 0)
    _thread.depth = depth + 1
    if depth == 0:
        _quietly(tag_module)(module)
        aclsan._category_push(b"activations")


def _after_forward(_module, _inputs, _output):
    depth = getattr(_thread, "depth", 0)
    if depth == 1:
        aclsan._category_pop()
    _thread.depth = max(depth - 1, 0)


def install():
    """Installs the hooks; the import has. Returns whether aclsan is there to hear of it."""
    if aclsan.interface() < 2:
        return False
    import torch

    modules = torch.nn.modules.module
    modules.register_module_forward_pre_hook(_before_forward)
    try:
        # Also after an exception, or its depth would stay.
        modules.register_module_forward_hook(_after_forward, always_call=True)
    except TypeError:  # before 2.0
        modules.register_module_forward_hook(_after_forward)
    try:
        # `torch.optim` has deleted its attribute of this name.
        optimizers = importlib.import_module("torch.optim.optimizer")
    except ImportError:
        optimizers = None
    before = getattr(optimizers, "register_optimizer_step_pre_hook", None)
    after = getattr(optimizers, "register_optimizer_step_post_hook", None)
    if before and after:
        before(_quietly(lambda optimizer, *_: _tag_gradients(optimizer)))
        after(_quietly(lambda optimizer, *_: tag_optimizer(optimizer)))
    return True


install()
