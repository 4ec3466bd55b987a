#![forbid(unsafe_code)]
//! `aclsan`, the program; what it does is in the library.

fn main() -> std::process::ExitCode {
    analyzer::main()
}
