//! Rust and C++ as their compilers really emit them.

use std::env;

use super::fixture::{Folder, has_tool, lines, symbols};

#[test]
fn rust_functions_are_named_without_hashes() {
    let folder = Folder::new();
    folder.write(
        "shop.rs",
        "mod pool {
    unsafe extern \"C\" { fn note(); }
    #[inline(always)]
    pub fn grow() { unsafe { note() } std::hint::black_box(()); }
    #[inline(never)]
    pub fn reserve<T>() { grow(); std::hint::black_box(()); }
}
fn main() { pool::reserve::<u32>(); }
",
    );
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let base = [
        "--edition=2024",
        "-g",
        "-Copt-level=1",
        "-Clink-arg=recorder.o",
        "shop.rs",
    ];
    for mangling in [&[][..], &["-Csymbol-mangling-version=v0"]] {
        folder.run(&rustc, &[&base, mangling].concat());
        let site = folder.sites("shop", &[]).remove(0);
        let frames = lines(&mut symbols(&[]), &site);
        assert_eq!(frames[0], "+shop::pool::grow shop.rs:4");
        // Only the newer mangling keeps the type argument.
        let outer = frames[1].replace("::<u32>", "");
        assert_eq!(outer, "shop::pool::reserve shop.rs:6");
    }
}

#[test]
fn cpp_methods_and_templates_are_named_with_their_parameters() {
    if !has_tool("c++") {
        return;
    }
    let folder = Folder::new();
    folder.write(
        "shop.cpp",
        "extern \"C\" void note();
namespace acl {
struct Pool {
    template <class T> __attribute__((noinline)) void grow(T count, const char *) {
        note(); __asm__ volatile(\"\" :: \"r\"(count));
    }
};
}
int main() { acl::Pool().grow(4ul, \"\"); }
",
    );
    for (debug, expected) in [
        (
            "-g",
            "void acl::Pool::grow<unsigned long>(unsigned long, char const*) shop.cpp:5",
        ),
        (
            "-g0",
            "void acl::Pool::grow<unsigned long>(unsigned long, char const*)",
        ),
    ] {
        folder.run(
            "c++",
            &["-O1", debug, "-o", "shop", "shop.cpp", "recorder.o"],
        );
        let site = folder.sites("shop", &[]).remove(0);
        assert_eq!(lines(&mut symbols(&[]), &site), [expected]);
    }
}
