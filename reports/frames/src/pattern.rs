//! Patterns as in LeakSanitizer: they match anywhere in the name, `*` matches anything, `^` and `$` anchor. An extension: `\*` is a literal
//! star, as in `^Box::operator\*()$`.

/// A parsed pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    at_start: bool,
    at_end: bool,
    /// Substrings that must occur in this order.
    parts: Vec<String>,
}

impl Pattern {
    /// Parses `text`.
    pub fn new(text: &str) -> Self {
        let (at_start, text) = match text.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (at_end, text) = match text.strip_suffix('$') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let parts = parts(text);
        Self {
            at_start: at_start && parts.first().is_some_and(|part| !part.is_empty()),
            at_end: at_end && parts.last().is_some_and(|part| !part.is_empty()),
            parts: parts.into_iter().filter(|part| !part.is_empty()).collect(),
        }
    }

    /// Parses patterns separated by commas. Empty ones, which would match everything, are dropped.
    pub fn list(text: &str) -> Vec<Self> {
        let patterns = text.split(',').map(|text| Self::new(text.trim()));
        patterns.filter(|pattern| !pattern.is_anything()).collect()
    }

    /// The text of a pattern that matches exactly `name`.
    pub fn exactly(name: &str) -> String {
        format!("^{}$", name.replace('*', "\\*"))
    }

    /// Whether it matches every name, which is mostly a mistake.
    pub fn is_anything(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether it matches `name`.
    pub fn matches(&self, name: &str) -> bool {
        let Some((last, before)) = self.parts.split_last() else {
            return !name.is_empty();
        };
        let mut rest = name;
        for (index, part) in before.iter().enumerate() {
            let found = match index == 0 && self.at_start {
                true => rest.starts_with(part.as_str()).then_some(0),
                false => rest.find(part.as_str()),
            };
            let Some(at) = found else { return false };
            rest = &rest[at + part.len()..];
        }
        let is_first = before.is_empty() && self.at_start;
        match (is_first, self.at_end) {
            (true, true) => rest == last,
            (true, false) => rest.starts_with(last.as_str()),
            (false, true) => rest.ends_with(last.as_str()),
            (false, false) => rest.contains(last.as_str()),
        }
    }
}

/// The parts between the stars, possibly empty.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, parts.last_mut()) {
            ('\\', Some(part)) if rest.next_if_eq(&'*').is_some() => part.push('*'),
            ('*', _) => parts.push(String::new()),
            (c, Some(part)) => part.push(c),
            (_, None) => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_pattern_matches_its_name_alone() {
        for (name, other) in [
            ("Box<int>::operator*()", "Box<int>::operator()()"),
            ("f(char*, int**)", "f(char, int**)"),
            ("*", "f"),
            ("a\\*b", "a\\b"),
            ("^f$", "f"),
        ] {
            let pattern = Pattern::new(&Pattern::exactly(name));
            assert!(pattern.matches(name), "{name}");
            assert!(!pattern.matches(other), "{name} {other}");
            assert!(!pattern.matches(&format!("{name}x")), "{name}");
            assert!(!pattern.matches(&format!("x{name}")), "{name}");
        }
    }

    #[test]
    fn a_pattern_matches_as_one_would_by_hand() {
        for (pattern, name, matches) in [
            ("cache", "Step::cache_row", true),
            ("cache", "Step::row", false),
            ("^Step", "Step::row", true),
            ("^row", "Step::row", false),
            ("row$", "Step::row", true),
            ("Step$", "Step::row", false),
            ("^Step::row$", "Step::row", true),
            ("^Step::row$", "Step::row2", false),
            ("St*ow", "Step::row", true),
            ("^St*ow$", "Step::rows", false),
            ("^lib*.so*", "libge.so.1", true),
            ("^*row$", "Step::row", true),
            ("a*a", "a", false), // parts do not overlap
            ("^a*a$", "aa", true),
            ("*", "", false),
            ("\\**", "a*b", true),
            ("\\**", "ab", false),
            ("^\\*", "*b", true),
            ("a\\b", "a\\b", true),
        ] {
            assert_eq!(
                Pattern::new(pattern).matches(name),
                matches,
                "{pattern} {name}"
            );
        }
    }
}
