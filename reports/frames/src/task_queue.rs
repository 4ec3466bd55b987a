//! Stacks of torch_npu's task queue: a thread of its own makes the calls, and its stack names nobody who asked for them.

use crate::trim::{file_name, is_runtime};

/// What to do about a stack of the queue.
pub const HINT: &str = "torch_npu made a call from its task queue, whose stack lacks the Python code that asked for it: `TASK_QUEUE_ENABLE=0` shows that";

/// Whether a stack begins in torch_npu itself, not in Python nor in a thread of PyTorch; `modules` are its frames', innermost first.
pub fn is_of_task_queue<'a>(modules: impl DoubleEndedIterator<Item = &'a str>) -> bool {
    let first = modules.rev().find(|module| !is_runtime(module));
    first.is_some_and(|module| file_name(module) == "libtorch_npu.so")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_stack_that_begins_in_torch_npu_is_the_queues() {
        let queue = [
            "/cann/libopapi.so",
            "/x/libtorch_npu.so",
            "/lib/libstdc++.so.6",
            "/lib/libc.so.6",
        ];
        assert!(is_of_task_queue(queue.into_iter()));
        let autograd = ["/x/libtorch_npu.so", "/x/libtorch_cpu.so", "/lib/libc.so.6"];
        assert!(!is_of_task_queue(autograd.into_iter()));
        assert!(!is_of_task_queue(
            ["/x/libtorch_npu.so", "/app/train.py"].into_iter()
        ));
        assert!(!is_of_task_queue([].into_iter()));
    }
}
