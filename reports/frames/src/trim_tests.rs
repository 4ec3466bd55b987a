use super::*;

/// Frames written as `function@module in file`, or `function.py` for Python's; `?@module` has no name.
fn marks_with(stack: &[&str], wrappers: &[&str]) -> Vec<&'static str> {
    let frames: Vec<Frame> = stack
        .iter()
        .map(|text| match text.strip_suffix(".py") {
            Some(function) => Frame {
                function: Some(function),
                module: "/app/train.py",
                is_python: true,
                ..Frame::default()
            },
            None => {
                let (text, file) = text.split_once(" in ").unwrap_or((text, "/app/train.cpp"));
                let (function, module) = text.split_once('@').unwrap_or((text, "/app/train"));
                Frame {
                    function: Some(function).filter(|name| *name != "?"),
                    file: Some(file),
                    module,
                    is_python: false,
                }
            }
        })
        .collect();
    let wrappers: Vec<Pattern> = wrappers.iter().map(|text| Pattern::new(text)).collect();
    let marks = mark(&frames, &wrappers);
    marks
        .iter()
        .map(|mark| mark.map_or("-", Hidden::name))
        .collect()
}

fn marks(stack: &[&str]) -> Vec<&'static str> {
    marks_with(stack, &[])
}

#[test]
fn what_calls_main_is_start_up_code() {
    assert_eq!(
        marks(&[
            "grab",
            "main",
            "__libc_start_call_main@/lib/libc.so.6",
            "?@/lib/libc.so.6",
            "_start"
        ]),
        ["-", "-", "start-up", "start-up", "start-up"]
    );
    assert_eq!(marks(&["main"]), ["-"]);
}

#[test]
fn what_calls_a_threads_function_is_start_up_code() {
    assert_eq!(
        marks(&[
            "worker",
            "start_thread@/lib/libc.so.6",
            "clone3@/lib/libc.so.6"
        ]),
        ["-", "start-up", "start-up"]
    );
    assert_eq!(
        marks(&[
            "main::{lambda()#1}::operator()() const",
            "void std::__invoke_impl<void, main::{lambda()#1}>(std::__invoke_other, main::{lambda()#1}&&)",
            "std::thread::_Invoker<std::tuple<main::{lambda()#1}> >::operator()()",
            "?@/usr/lib/libstdc++.so.6",
            "?@/lib/libc.so.6",
            "?@/lib/libc.so.6",
        ]),
        [
            "-",
            "c++ library",
            "c++ library",
            "start-up",
            "start-up",
            "start-up"
        ]
    );
    // A callback that libc called in the middle of a stack is not the start.
    assert_eq!(
        marks(&[
            "compare",
            "qsort@/lib/libc.so.6",
            "sort_all",
            "worker",
            "?@/lib/libc.so.6"
        ]),
        ["-", "-", "-", "-", "start-up"]
    );
}

#[test]
fn a_threads_start_is_marked_where_those_who_queued_its_work_follow() {
    assert_eq!(
        marks(&[
            "aclnnMuls@/lib/libopapi.so",
            "?@/lib/libtorch_npu.so",
            "start_thread@/lib/libc.so.6",
            "?@/lib/libc.so.6",
            "scale.py",
            "main.py"
        ]),
        ["-", "-", "handover", "handover", "-", "-"]
    );
    assert_eq!(
        marks(&[
            "run@/lib/libtorch_npu.so",
            "start_thread@/lib/libc.so.6",
            "clone3@/lib/libc.so.6",
            "backward@/lib/libtorch_cpu.so",
            "start_thread@/lib/libc.so.6"
        ]),
        ["-", "handover", "handover", "-", "start-up"]
    );
    // Called by Python, not queued.
    assert_eq!(
        marks(&[
            "?@/lib/libffi.so.8",
            "?@/lib/libpython3.11.so.1.0",
            "main.py",
            "start_thread@/lib/libc.so.6"
        ]),
        ["interpreter", "interpreter", "-", "start-up"]
    );
}

#[test]
fn rusts_start_up_code_includes_its_main() {
    assert_eq!(
        marks(&[
            "hello::grab",
            "<alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once",
            "hello::main",
            "std::sys::backtrace::__rust_begin_short_backtrace",
            "std::rt::lang_start::{{closure}}",
            "std::rt::lang_start",
            "main",
            "?@/lib/libc.so.6",
        ]),
        [
            "-",
            "rust library",
            "-",
            "start-up",
            "start-up",
            "start-up",
            "start-up",
            "start-up"
        ]
    );
}

#[test]
fn the_interpreter_is_left_out_where_python_stands_for_it() {
    let native = [
        "grab@/app/lib.so",
        "ffi_call@/lib/libffi.so.8",
        "PyObject_Call@/usr/bin/python3.11",
    ];
    let plain = [
        "_PyEval_EvalFrameDefault@/usr/bin/python3.11",
        "main@/usr/bin/python3.11",
        "_start@/usr/bin/python3.11",
    ];
    let whole = |middle: &[&'static str]| [&native[..], middle, &plain[..]].concat();
    assert_eq!(
        marks(&whole(&["load.py", "main.py"])),
        [
            "-",
            "interpreter",
            "interpreter",
            "-",
            "-",
            "interpreter",
            "interpreter",
            "start-up"
        ]
    );
    assert_eq!(marks(&whole(&[])), ["-", "-", "-", "-", "-", "start-up"]);
}

#[test]
fn bindings_are_left_out_between_cpp_and_python() {
    let dispatcher = "pybind11::cpp_function::dispatcher(_object*, _object*, _object*)";
    let invoke = "void pybind11::detail::argument_loader<int>::call_impl<void, f, 0ul>(f&&) &&";
    assert_eq!(
        marks(&[
            "Pool::grow(int)",
            invoke,
            dispatcher,
            "cfunction_call@/usr/bin/python3.11",
            "step.py"
        ]),
        ["-", "bindings", "bindings", "interpreter", "-"]
    );
    assert_eq!(
        marks(&["invoke@/opt/acl.abi3.so", "step.py"]),
        ["bindings", "-"]
    );
    assert_eq!(marks(&["invoke@/opt/acl.so", "main"]), ["-", "-"]);
    assert_eq!(
        marks(&["Pool::grow(int)", dispatcher, "main"]),
        ["-", "-", "-"]
    );
}

#[test]
fn what_a_user_calls_in_std_is_shown() {
    for shown in [
        "std::vector<Tensor, std::allocator<Tensor> >::push_back(Tensor const&)",
        "std::__cxx11::basic_string<char>::append(char const*)",
        "std::make_unique<Tensor>(int)",
        "std::__1::vector<int>::push_back(int)",
        "__internal_of_mine",
        "my::_Function_handler::f()",
    ] {
        assert_eq!(marks(&[shown, "main"]), ["-", "-"], "{shown}");
    }
    for hidden in [
        "void std::vector<T>::_M_realloc_insert<T const&>(It, T const&)",
        "std::_Function_handler<void (int), main::{lambda(int)#2}>::_M_invoke(std::_Any_data const&, int&&)",
        "std::__1::__function::__func<f, void ()>::operator()()",
        "std::function<void (int)>::operator()(int) const",
        "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)",
    ] {
        assert_eq!(marks(&[hidden, "main"]), ["c++ library", "-"], "{hidden}");
    }
}

#[test]
fn the_librarys_functions_for_a_lambda_have_no_namespace() {
    assert_eq!(
        marks(&[
            "operator()",
            "__invoke_impl<void, main(int, char**)::<lambda()> > in /usr/include/c++/12/bits/invoke.h",
            "operator() in /usr/include/c++/12/bits/std_thread.h",
            "_M_run in /usr/include/c++/12/bits/std_thread.h",
            "for_each<F> in /usr/include/c++/12/bits/stl_algo.h",
            "_mine",
        ]),
        ["-", "c++ library", "c++ library", "c++ library", "-", "-"]
    );
}

#[test]
fn a_wrapper_is_skipped_at_the_inner_end_only() {
    let stack = [
        "Tensor::Tensor(int)",
        "std::__invoke<f>()",
        "Tensor::make(int)",
        "net::load()",
        "Tensor::run()",
        "main",
        "_start",
    ];
    assert_eq!(
        marks_with(&stack, &["^Tensor::*"]),
        [
            "wrapper",
            "c++ library",
            "wrapper",
            "-",
            "-",
            "-",
            "start-up"
        ]
    );
    assert_eq!(
        marks_with(&["Tensor::make()", "main"], &["main", "Tensor"]),
        ["-", "-"]
    );
    // Parameters are not the function's name.
    assert_eq!(
        marks_with(&["load(Tensor::Kind)", "main"], &["Tensor::"]),
        ["-", "-"]
    );
    assert_eq!(
        marks_with(&["empty.py", "step.py"], &["^empty$"]),
        ["wrapper", "-"]
    );
}

#[test]
fn an_annotation_is_left_out_of_the_programs_stack() {
    assert_eq!(
        marks(&["aclsan_pool_alloc_on", "take", "main"]),
        ["annotation", "-", "-"]
    );
}

#[test]
fn a_stack_never_becomes_empty() {
    assert_eq!(marks(&[]), [""; 0]);
    assert_eq!(
        marks(&["std::__invoke<f>()", "start_thread@/lib/libc.so.6"]),
        ["-", "start-up"]
    );
    assert_eq!(marks(&["?@/lib/libc.so.6", "?@/lib/libc.so.6"]), ["-", "-"]);
}

#[test]
fn a_hook_between_the_runtime_and_the_program_is_left_out() {
    let hook = "aclrtProcessReport@/opt/aclsan/libaclsan.so";
    assert_eq!(
        marks(&["on_report", "run@/cann/libascendcl.so", hook, hook, "main"]),
        ["-", "-", "hook", "hook", "-"]
    );
    // What goes wrong in the hook itself is shown.
    assert_eq!(marks(&[hook, "main"]), ["-", "-"]);
}

#[test]
fn between_a_mistake_and_the_signal_are_frames_of_the_c_library() {
    let libc = |name: &str| format!("{name}@/lib/libc.so.6");
    let frames = ["raise", "__GI_abort", "__assert_fail"].map(libc);
    let stack: Vec<&str> = frames.iter().map(String::as_str).collect();
    let with = |outer: &[&'static str]| marks(&[&stack[..], outer].concat());
    assert_eq!(
        with(&["check", "main"]),
        ["abort", "abort", "abort", "-", "-"]
    );
    // A fault in the library is where it is.
    assert_eq!(
        marks(&["memcpy@/lib/libc.so.6", "check", "main"]),
        ["-", "-", "-"]
    );
}
