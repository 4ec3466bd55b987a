//! The HiAI Matrix framework (C++).

use aclsan_left_out::left_out;

use crate::building::{
    TOPOLOGIES, compile, compiler_of_cpp, holds, launch, programs, scratch, simulator, succeed,
};

/// Skipped where only C can be compiled, since it is C++.
fn has_matrix() -> bool {
    let has = simulator().join("lib/libmatrixdaemon.so").exists();
    if !has {
        left_out("there was no C++ compiler: the simulator has no Matrix");
    }
    has
}

#[test]
fn matrix_memory_is_released_by_who_owns_it() {
    if has_matrix() {
        holds("matrix");
    }
}

/// Both manglings of the allocation, and both kinds of `std::string`.
#[test]
fn matrix_serves_callers_of_either_kit() {
    let source = programs().join("matrix_classes.cpp");
    if !has_matrix() {
        return;
    }
    for (name, flag) in [
        ("2018", "-DHIAI_TIMEOUT_BY_REFERENCE"),
        ("2022", "-DHIAI_TIMEOUT_BY_VALUE"),
        ("old-strings", "-D_GLIBCXX_USE_CXX11_ABI=0"),
    ] {
        let mut command = compiler_of_cpp();
        command
            .arg(flag)
            .arg(&source)
            .arg("-L")
            .arg(simulator().join("lib"));
        command.arg("-lmatrixdaemon");
        let executable = compile(scratch(&format!("matrix-classes-{name}")), &mut command);
        for topology in TOPOLOGIES {
            succeed(&mut launch(&executable, topology, ""));
        }
    }
}
