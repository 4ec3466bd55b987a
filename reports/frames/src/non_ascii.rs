//! Demangling of non-ASCII names: compilers write such letters as they are, and `cpp_demangle` rejects them.

use std::borrow::Cow;

/// Non-ASCII letters, each with an ASCII placeholder used while demangling. Mangled names contain lengths, so a placeholder is as long as
/// its letter: `$`, an ASCII letter, and `$` as padding.
#[derive(Default)]
pub struct Placeholders<'a>(Vec<(&'a str, String)>);

impl<'a> Placeholders<'a> {
    /// The name with placeholders; `None` if it has more distinct letters than there are placeholders, or contains `$`.
    pub fn substitute(name: &'a str) -> Option<(Cow<'a, str>, Self)> {
        if name.is_ascii() {
            return Some((name.into(), Self::default()));
        }
        if name.contains('$') {
            return None;
        }
        let mut letters = ('a'..='z').chain('A'..='Z');
        let mut known: Vec<(&str, String)> = Vec::new();
        for (at, c) in name.char_indices().filter(|(_, c)| !c.is_ascii()) {
            let wide = &name[at..at + c.len_utf8()];
            if known.iter().all(|(other, _)| *other != wide) {
                let padding = "$".repeat(wide.len() - 2);
                known.push((wide, format!("${}{padding}", letters.next()?)));
            }
        }
        let mut all = name.to_owned();
        for (wide, narrow) in &known {
            all = all.replace(wide, narrow);
        }
        Some((all.into(), Self(known)))
    }

    /// Puts the original letters back into a demangled name.
    pub fn restore(self, name: String) -> String {
        let put_back = |name: String, (wide, narrow): (&str, String)| name.replace(&narrow, wide);
        self.0.into_iter().fold(name, put_back)
    }
}

#[cfg(test)]
mod tests {
    use crate::demangle;

    #[test]
    fn letters_beyond_ascii_are_no_hindrance() {
        assert_eq!(demangle("_Z7größev"), "größe()");
        assert_eq!(demangle("_ZN6张量6分配Em"), "张量::分配(unsigned long)");
        assert_eq!(
            demangle("_Z1fN4ßßES_"),
            "f(ßß, ßß)",
            "a name that is referred to has it as well"
        );
        assert_eq!(demangle("_Z4a$ßv"), "_Z4a$ßv");
    }
}
