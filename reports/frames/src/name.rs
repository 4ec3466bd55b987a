//! Shows a demangled name: lambdas by where they are, long names shortened.

use std::borrow::Cow;

/// Longest name in a text, in terminal columns. JSON has the whole name.
pub const MAX_COLUMNS: usize = 200;

/// Longest name that is looked at, in bytes; the rest is cut off first. Deep templates have some 2,000.
const MAX_BYTES: usize = 16 * 1024;

/// Replaces an omitted part of a name.
const ELLIPSIS: &str = "…";

/// The name as a text shows it: `main::{lambda#2}` for `main::{lambda(int)#2}::operator()(int) const`, and at most [`MAX_COLUMNS`] wide.
pub fn display(name: &str) -> Cow<'_, str> {
    display_in(name, MAX_COLUMNS)
}

/// As [`display`], at most `columns` wide.
pub fn display_in(name: &str, columns: usize) -> Cow<'_, str> {
    let name = match name.contains("{lambda(") {
        true => Cow::Owned(short_lambdas(cut(name, MAX_BYTES))),
        false => Cow::Borrowed(name),
    };
    match width(&name) <= columns {
        true => name,
        false => Cow::Owned(shorten(&name, columns)),
    }
}

/// Whether the name says nothing but that it is a call operator: compilers write no more into debug information for a lambda.
pub fn is_lambda(name: &str) -> bool {
    matches!(name, "operator()" | "_FUN" | "__invoke")
}

/// A name for a lambda that was inlined into the function with this linker name: the lambda that the name speaks of, if it is one,
/// `main::{lambda()#1}` of `std::_Function_handler<void (), main::{lambda()#1}>::…`. Otherwise nothing says where it was written.
pub fn inlined_lambda(outer: &str) -> &str {
    lambda_in(outer).unwrap_or("{lambda}")
}

fn lambda_in(demangled: &str) -> Option<&str> {
    let demangled = cut(demangled, MAX_BYTES);
    let lambdas = demangled.match_indices("{lambda(").map(|(at, _)| {
        let before = demangled[..at].rfind(['<', ' ', ',', '(', '{']);
        let start = before.map_or(0, |before| before + 1);
        let end = demangled[at..].find('}').map(|end| at + end + 1);
        &demangled[start..end.unwrap_or(demangled.len())]
    });
    let mut lambdas = lambdas.take(16);
    let first = lambdas.next()?;
    lambdas.all(|other| other == first).then_some(first)
}

/// `{lambda(ARGUMENTS)#N}` becomes `{lambda#N}`, and its call operator goes without saying.
fn short_lambdas(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("{lambda(") {
        let inner = &rest[at + "{lambda".len()..];
        // Arguments may be lambdas themselves; an unbalanced name is no compiler's.
        let Some(number) = closing(inner).map(|end| &inner[end + 1..]) else {
            break;
        };
        let Some(brace) = number.find('}') else { break };
        out.push_str(&rest[..at + "{lambda".len()]);
        out.push_str(&number[..=brace]);
        rest = &number[brace + 1..];
        for call in ["::operator()", "::_FUN"] {
            let Some(arguments) = rest
                .strip_prefix(call)
                .filter(|after| after.starts_with('('))
            else {
                continue;
            };
            if let Some(end) = closing(arguments) {
                rest = &arguments[end + 1..];
                rest = rest.strip_prefix(" const").unwrap_or(rest);
            }
            break;
        }
    }
    out.push_str(rest);
    out
}

/// The index of the parenthesis that closes the one at the start.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Leaves out the contents of the innermost brackets first, then the end.
fn shorten(name: &str, columns: usize) -> String {
    let name = cut(name, MAX_BYTES);
    for depth in (0..8).rev() {
        let shorter = at_most_nested(name, depth);
        if width(&shorter) <= columns {
            return shorter;
        }
    }
    let bare = at_most_nested(name, 0);
    let mut left = columns - 1;
    let fits = bare.char_indices().find(|(_, c)| {
        let fits = columns_of(*c) <= left;
        left = left.saturating_sub(columns_of(*c));
        !fits
    });
    let end = fits.map_or(bare.len(), |(at, _)| at);
    format!("{}{ELLIPSIS}", &bare[..end])
}

/// The name with brackets nested more than `depth` deep replaced by `<…>` and `(…)`.
fn at_most_nested(name: &str, depth: usize) -> String {
    let mut out = String::new();
    let mut open = 0_usize;
    let bytes = name.as_bytes();
    for (at, c) in name.char_indices() {
        let is_arrow = c == '>' && at > 0 && matches!(bytes[at - 1], b'-' | b'=');
        let is_operator = is_in_operator(&name[..at], c);
        match c {
            _ if is_operator && open <= depth => out.push(c),
            _ if is_operator => {}
            '<' | '(' => {
                open += 1;
                if open <= depth + 1 {
                    out.push(c);
                }
                let is_empty = matches!(bytes.get(at + 1), Some(b'>' | b')'));
                if open == depth + 1 && !is_empty {
                    out.push_str(ELLIPSIS);
                }
            }
            '>' | ')' if !is_arrow => {
                if open <= depth + 1 {
                    out.push(c);
                }
                open = open.saturating_sub(1);
            }
            _ if open <= depth => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether `c` after `before` belongs to the name of an operator: `operator<`, `operator()`, `operator->`.
fn is_in_operator(before: &str, c: char) -> bool {
    let is_operator = |before: &[u8]| before.ends_with(b"operator");
    let before = before.as_bytes();
    let symbols = before.iter().rev().take(3);
    let symbols = symbols.take_while(|byte| b"<>=-".contains(byte)).count();
    match c {
        '(' => is_operator(before),
        ')' => before.ends_with(b"operator("),
        '<' | '>' | '=' | '-' => symbols < 3 && is_operator(&before[..before.len() - symbols]),
        _ => false,
    }
}

/// The function's qualified name alone, without result, template arguments and parameters: `std::__invoke_impl` for
/// `void std::__invoke_impl<void, F>(std::__invoke_other, F&&)`. Of a Rust method, the trait's path where there is one.
pub fn qualified(name: &str) -> Cow<'_, str> {
    let name = cut(name, MAX_BYTES);
    if !name.contains(['<', '(', ' ']) {
        return name.into();
    }
    if let Some(rest) = name.strip_prefix('<') {
        return rust_method(rest).into();
    }
    let mut out = String::new();
    let mut open = 0_usize;
    let bytes = name.as_bytes();
    for (at, c) in name.char_indices() {
        let is_operator = open == 0 && is_in_operator(&name[..at], c);
        match c {
            _ if is_operator => out.push(c),
            '(' if open == 0 && name[at..].starts_with("(anonymous namespace)") => {
                out.push_str("(anonymous namespace)");
                open += 1;
            }
            '<' | '(' => open += 1,
            '>' if at > 0 && matches!(bytes[at - 1], b'-' | b'=') => {}
            '>' | ')' => {
                open = open.saturating_sub(1);
                let is_end = c == ')' && open == 0 && !name[at + 1..].starts_with("::");
                // Parameters within braces belong to a lambda, which goes on with its number.
                if is_end && !name[at + 1..].starts_with('#') {
                    break;
                }
            }
            _ if open > 0 => {}
            ' ' if out.ends_with("operator") => out.push(c),
            ' ' if name[at + 1..].starts_with('<') => {} // `operator< <int>`
            ' ' => out.clear(),                          // the result's type
            _ => out.push(c),
        }
    }
    out.into()
}

/// `TYPE as TRAIT>::method`, or `TYPE>::method`, after the first bracket.
fn rust_method(rest: &str) -> String {
    let mut open = 1_usize;
    let mut of_trait = 0;
    for (at, c) in rest.char_indices() {
        let is_arrow = c == '>' && rest[..at].ends_with('-');
        match c {
            '<' => open += 1,
            '>' if is_arrow => {}
            '>' => open -= 1,
            ' ' if open == 1 && rest[at..].starts_with(" as ") => of_trait = at + " as ".len(),
            _ => {}
        }
        if open == 0 {
            let path = rest[of_trait..at].split('<').next().unwrap_or_default();
            return format!("{path}{}", &rest[at + 1..]);
        }
    }
    rest.to_owned()
}

fn cut(name: &str, bytes: usize) -> &str {
    let mut end = name.len().min(bytes);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// Columns of a text on a terminal.
pub fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Columns of a character on a terminal: two for those of East Asian scripts and emoji.
fn columns_of(c: char) -> usize {
    match u32::from(c) {
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe4f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff => 2,
        0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lambda_is_shown_by_where_it_is() {
        for (name, shown) in [
            ("main::{lambda()#1}::operator()() const", "main::{lambda#1}"),
            (
                "main::{lambda(int)#2}::operator()(int) const",
                "main::{lambda#2}",
            ),
            (
                "f(int)::{lambda(g()::{lambda(int)#1})#3}::_FUN(char)",
                "f(int)::{lambda#3}",
            ),
            (
                "auto main::{lambda(auto:1)#1}::operator()<int>(int) const",
                "auto main::{lambda#1}::operator()<int>(int) const",
            ),
            (
                "std::function<void (main::{lambda()#1})>::operator()() const",
                "std::function<void (main::{lambda#1})>::operator()() const",
            ),
            ("f::{lambda(", "f::{lambda("),
            ("f::{lambda()", "f::{lambda()"),
        ] {
            assert_eq!(display(name), shown, "{name}");
        }
    }

    #[test]
    fn a_lambda_is_found_in_what_calls_it() {
        for (symbol, lambda) in [
            (
                "std::_Function_handler<void (int), main::{lambda(int)#2}>::_M_invoke(std::_Any_data const&, int&&)",
                Some("main::{lambda(int)#2}"),
            ),
            (
                "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#3}> > >::_M_run()",
                Some("main::{lambda()#3}"),
            ),
            ("f<main::{lambda()#1}, main::{lambda()#2}>()", None),
            ("main", None),
            ("f<{lambda(", Some("{lambda(")),
        ] {
            assert_eq!(lambda_in(symbol), lambda, "{symbol}");
        }
    }

    #[test]
    fn a_long_name_keeps_what_is_outside_its_brackets() {
        let list = "std::map<int, std::vector<char> >, ".repeat(40);
        let name = format!("void ns::run<{list}int>(std::tuple<{list}int>&&, int)");
        assert_eq!(display(&name), "void ns::run<…>(…)");
        let name = format!("ns::run(a, std::tuple<{list}int>&&, int)");
        assert_eq!(display(&name), "ns::run(a, std::tuple<…>&&, int)");
        assert_eq!(display("f<a>(b)"), "f<a>(b)");
        let operator = format!("Box<{list}int>::operator->() const");
        assert_eq!(display(&operator), "Box<…>::operator->() const");
        let shift = format!("Box<{list}int>::operator<< <char>(char)");
        assert_eq!(display(&shift), "Box<…>::operator<< <…>(…)");
    }

    #[test]
    fn no_name_is_wider_than_the_limit() {
        let names = [
            "x".repeat(100_000),
            "<".repeat(100_000),
            "(".repeat(70_000) + &")".repeat(70_000),
            "{lambda(".repeat(20_000),
            "operator<".repeat(10_000),
            "张".repeat(40_000),
            "}>)".repeat(30_000),
            "a->".repeat(400),
        ];
        for name in names {
            let shown = display(&name);
            assert!(width(&shown) <= MAX_COLUMNS, "{}", &shown[..40]);
            qualified(&name);
        }
        let wide = display(&"张".repeat(150)).into_owned();
        assert_eq!(wide, "张".repeat(99) + "…");
    }

    #[test]
    fn a_qualified_name_has_no_arguments() {
        for (name, bare) in [
            ("main", "main"),
            ("acl::free(void*)", "acl::free"),
            (
                "void std::__invoke_impl<void, F>(std::__invoke_other, F&&)",
                "std::__invoke_impl",
            ),
            (
                "std::function<void (int)>::operator()(int) const",
                "std::function::operator()",
            ),
            (
                "(anonymous namespace)::grab(int)",
                "(anonymous namespace)::grab",
            ),
            (
                "main::{lambda(int)#2}::operator()(int) const",
                "main::{lambda#2}::operator()",
            ),
            ("f(int)::{lambda()#1}::_FUN()", "f::{lambda#1}::_FUN"),
            ("Box::operator bool() const", "Box::operator bool"),
            ("bool operator< <int>(A const&, A const&)", "operator<"),
            ("Box::operator->() const", "Box::operator->"),
            ("at::Tensor::Tensor(unsigned long)", "at::Tensor::Tensor"),
            ("hello::main", "hello::main"),
            (
                "<hello::Pool as core::ops::drop::Drop>::drop",
                "core::ops::drop::Drop::drop",
            ),
            (
                "<alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once",
                "core::ops::function::FnOnce::call_once",
            ),
            ("<hello::Pool<fn() -> u8>>::take", "hello::Pool::take"),
            ("", ""),
        ] {
            assert_eq!(qualified(name), bare, "{name}");
        }
    }
}
