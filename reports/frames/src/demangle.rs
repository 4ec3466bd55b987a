//! Demangles Rust and C++ names.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, Symbol};

use super::non_ascii::Placeholders;

/// Longest name that is demangled or shown, in bytes. A short crafted name can expand without limit; real ones, template-heavy C++
/// included, stay well below.
const MAX_NAME_BYTES: usize = 64 * 1024;

/// Suffixes that GCC and LLVM append when they split or clone a function. They vary with optimization: kept in a name, they would turn the
/// same mistake into another finding.
const CLONE_SUFFIXES: [&str; 7] = [
    "cold",
    "constprop",
    "isra",
    "llvm",
    "localalias",
    "lto_priv",
    "part",
];

/// Returns the source name, or `name` itself if it is not mangled, not understood, or expands past 64 KiB. Rust names lose their trailing
/// hash; C++ names keep their parameters, which distinguish overloads; all lose clone suffixes.
pub fn demangle(name: &str) -> String {
    let name = strip_clone_suffix(name);
    rust(name)
        .or_else(|| cpp(name))
        .unwrap_or_else(|| truncate(name).to_owned())
}

/// Strips clone suffixes: `grab.constprop.0.cold` becomes `grab`.
fn strip_clone_suffix(name: &str) -> &str {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut kept = name;
    let mut rest = name;
    while let Some((before, last)) = rest
        .rsplit_once('.')
        .filter(|(before, _)| !before.is_empty())
    {
        rest = before;
        match last {
            last if CLONE_SUFFIXES.contains(&last) => kept = before,
            last if is_number(last) => {}
            _ => break,
        }
    }
    kept
}

fn rust(name: &str) -> Option<String> {
    let demangled = rustc_demangle::try_demangle(truncate(name)).ok()?;
    let mut out = BoundedString::default();
    write!(out, "{demangled:#}").ok()?;
    Some(out.0)
}

fn cpp(name: &str) -> Option<String> {
    if !name.starts_with("_Z") {
        return None; // The parser also takes bare types: `f` would become `float`.
    }
    let (name, placeholders) = Placeholders::substitute(truncate(name))?;
    let symbol = Symbol::new(name.as_bytes()).ok()?;
    let mut out = BoundedString::default();
    symbol
        .structured_demangle(&mut out, &DemangleOptions::new())
        .ok()?;
    Some(placeholders.restore(out.0))
}

fn truncate(name: &str) -> &str {
    let longest = name.len().min(MAX_NAME_BYTES);
    let end = (0..=longest).rev().find(|end| name.is_char_boundary(*end));
    &name[..end.unwrap_or(0)]
}

#[derive(Default)]
struct BoundedString(String);

impl Write for BoundedString {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpp_names_keep_their_parameters() {
        assert_eq!(
            demangle("_ZN3acl9Workspace4growEmPKc"),
            "acl::Workspace::grow(unsigned long, char const*)"
        );
        assert_eq!(
            demangle("_Z19CommonOpExecutorRunPvmP13aclOpExecutorS_"),
            "CommonOpExecutorRun(void*, unsigned long, aclOpExecutor*, void*)"
        );
    }

    #[test]
    fn cpp_templates_and_clones_are_named() {
        assert_eq!(
            demangle("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back(int const&)"
        );
        assert_eq!(demangle("_ZN3acl4freeEPv.cold"), "acl::free(void*)");
    }

    #[test]
    fn copies_that_a_compiler_made_have_the_name_of_the_function() {
        for copy in [
            "grab.constprop.0",
            "grab.isra.12",
            "grab.part.0.cold",
            "grab.lto_priv.1",
            "grab.llvm.1234567890",
            "grab.constprop.0.isra.0",
        ] {
            assert_eq!(demangle(copy), "grab", "{copy}");
        }
        assert_eq!(demangle("_ZN3acl4freeEPv.isra.0.cold"), "acl::free(void*)");
        assert_eq!(demangle("_RNvC5hello4main.llvm.1234"), "hello::main");
        // Not clone suffixes: numbers of static functions, `.cold` alone, other words.
        for name in [
            "grab.0",
            ".cold",
            "grab.warm",
            "grab.part.",
            "train.cold.py",
        ] {
            assert_eq!(demangle(name), name);
        }
    }

    #[test]
    fn rust_names_lose_their_hash() {
        assert_eq!(
            demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"),
            "core::fmt::Formatter::pad"
        );
        assert_eq!(demangle("_RNvC5hello4main"), "hello::main");
    }

    #[test]
    fn c_names_stay_as_they_are() {
        for name in ["main", "f", "aclrtMalloc", "_start", "_Zebra", ""] {
            assert_eq!(demangle(name), name);
        }
    }

    #[test]
    fn a_name_that_expands_without_limit_stays_mangled() {
        // Each substitution repeats the pair before it: 2^60 characters.
        let mut bomb = String::from("_Z1fSt4pairIiiE");
        for level in 0..60 {
            let previous = ["S_", "S0_", "S1_", "S2_", "S3_"][level % 5];
            bomb = format!("{bomb}St4pairI{previous}{previous}E");
        }
        assert!(demangle(&bomb).len() <= MAX_NAME_BYTES);
        assert_eq!(demangle(&"é".repeat(60_000)).len(), MAX_NAME_BYTES);
    }

    /// Names that nest as deep as a parser goes along.
    fn nested() -> Vec<String> {
        let deep = 4000;
        vec![
            format!("_Z1f{}i", "P".repeat(deep)),
            format!("_Z1f{}i{}", "1aI".repeat(deep), "E".repeat(deep)),
            format!("_Z1fN{}1aE", "1a".repeat(deep)),
            format!("{}v", "_ZZ1fvEN".repeat(deep)),
            format!("_Z{}1fv", "Z1fvE".repeat(deep)),
            format!("_Z1f{}v{}", "Fv".repeat(deep), "E".repeat(deep)),
            format!("_Z1fI{}LiEE{}Evv", "Xad".repeat(deep), "E".repeat(deep)),
            format!("_Z1fIXcl{}1gEEEvv", "cl".repeat(deep)),
            format!("_RNvC1a{}1f", "Nv".repeat(deep)),
            format!("_RI{}C1a1b{}", "I".repeat(deep), "E".repeat(deep)),
            format!("_RINvC1a1f{}uE", "S".repeat(deep)),
            format!("_RINvC1a1f{}u{}E", "T".repeat(deep), "E".repeat(deep)),
            format!("_ZN{}E", "1a".repeat(deep)),
        ]
    }

    /// The shim demangles where at least `MIN_FREE` of `unwind::big_stack` is left, 512 KiB.
    #[test]
    fn a_nested_name_needs_little_stack() {
        let small = std::thread::Builder::new().stack_size(448 * 1024);
        let work = || {
            for name in nested() {
                let shown = demangle(&name);
                assert!(shown.len() <= MAX_NAME_BYTES, "{name:.40}");
                crate::display(&shown);
                crate::qualified(&shown);
            }
        };
        small
            .spawn(work)
            .expect("a thread")
            .join()
            .expect("it ends");
    }
}
