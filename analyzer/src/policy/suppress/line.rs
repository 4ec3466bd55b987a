//! One suppression line.

use aclsan_frames::Pattern;
use aclsan_render::model::{Frame, Stacks};
use aclsan_rules::api::ascend::libraries;
use aclsan_rules::judge::registry::rule;

use super::caller;

/// A parsed line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The rule; `None` for all rules.
    pub rule: Option<&'static str>,
    /// Matched against names of frames.
    pub pattern: Pattern,
    /// Of which frames.
    pub scope: Scope,
    /// The last valid day, in days since 1970.
    pub until: Option<u64>,
    /// The line as written, without its comment.
    pub text: String,
    /// File and line number, or why it is built in.
    pub place: String,
}

/// Which frames a pattern is matched against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All frames of all stacks of the finding.
    Everywhere,
    /// The caller, see [`caller::of`]: written `rule caller:pattern`. Frames further out are shared with other calls: `main` is on every
    /// stack.
    Caller,
    /// The library of the innermost frame, whose code made the call. Only for built-in lines.
    Library,
}

impl Line {
    /// Parses a line; `place` says where it is.
    ///
    /// # Errors
    /// The error, and what to write instead.
    pub fn parse(line: &str, place: String) -> Result<Self, String> {
        let (rule_and_pattern, comment) = match line.split_once(" #").or(line.split_once("\t#")) {
            Some((rule_and_pattern, comment)) => (rule_and_pattern.trim(), comment.trim()),
            None => (line.trim(), ""),
        };
        let Some((name, pattern)) = rule_and_pattern.split_once(':') else {
            return Err(format!(
                "`{rule_and_pattern}` is no suppression: write `rule:pattern`"
            ));
        };
        let (name, scope) = match name.trim().rsplit_once([' ', '\t']) {
            Some((name, "caller")) => (name, Scope::Caller),
            _ => (name, Scope::Everywhere),
        };
        let rule = match name.trim() {
            "*" => None,
            name => Some(
                rule(name)
                    .ok_or_else(|| crate::policy::rule_names::unknown(name))?
                    .name,
            ),
        };
        let pattern = Pattern::new(pattern.trim());
        if pattern.is_anything() {
            return Err(format!(
                "`{rule_and_pattern}` would match every stack: name a function, a file or a module after the colon"
            ));
        }
        Ok(Self {
            rule,
            pattern,
            scope,
            until: until(comment)?,
            text: rule_and_pattern.to_owned(),
            place,
        })
    }

    /// Whether it is built in.
    pub fn is_builtin(&self) -> bool {
        self.scope == Scope::Library
    }

    /// Whether it covers a finding of `rule` with these stacks, whatever the date.
    pub fn covers(&self, rule: &str, stacks: &Stacks) -> bool {
        if self.rule.is_some_and(|own| own != rule) {
            return false;
        }
        let here = &stacks.here;
        match self.scope {
            Scope::Library => here.frames.first().is_some_and(|frame| self.is_from(frame)),
            Scope::Caller => self.covers_caller(&here.frames),
            Scope::Everywhere => std::iter::once(here)
                .chain(&stacks.earlier)
                .flat_map(|trace| &trace.frames)
                .any(|frame| self.covers_frame(frame)),
        }
    }

    /// Whether it names the library of `frame`, in any version: `libge_executor.so.1`.
    pub fn is_from(&self, frame: &Frame) -> bool {
        self.pattern
            .matches(libraries::unversioned(frame.module_name()))
    }

    /// Whether it covers the caller on a stack.
    pub fn covers_caller(&self, frames: &[Frame]) -> bool {
        caller::of(frames).is_some_and(|frame| {
            self.covers_frame(frame) || caller::names(frame).any(|name| self.pattern.matches(&name))
        })
    }

    fn covers_frame(&self, frame: &Frame) -> bool {
        let names = [
            frame.function.as_deref(),
            frame.file.as_deref(),
            Some(&frame.module),
        ];
        names
            .into_iter()
            .flatten()
            .any(|name| self.pattern.matches(name))
    }
}

/// The last day that a comment names. A misspelled keyword would never expire its suppression, so that is an error.
fn until(comment: &str) -> Result<Option<u64>, String> {
    let (word, value) = comment.split_once('=').unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let text = match word.trim_end() {
        "until" => value.split_whitespace().next().or(Some("")),
        _ if !word.is_empty() && word.chars().all(is_word) => {
            return Err(format!(
                "`{word}=` is not known after a suppression: there is `until`, as in `until=2027-01-31`"
            ));
        }
        _ => comment
            .split_whitespace()
            .find_map(|word| word.strip_prefix("until=")),
    };
    text.map(|text| {
        day(text)
            .ok_or_else(|| format!("`until={text}` is no day: write it as in `until=2027-01-31`"))
    })
    .transpose()
}

/// Parses `2027-01-31` into days since 1970; `None` for anything else.
pub fn day(text: &str) -> Option<u64> {
    let mut parts = text.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let february = 28 + u64::from(is_leap(year));
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *months.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    if !(1970..=9999).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    let years: u64 = (1970..year)
        .map(|year| 365 + u64::from(is_leap(year)))
        .sum();
    Some(years + months[..month as usize - 1].iter().sum::<u64>() + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_from_1970() {
        assert_eq!(day("1970-01-01"), Some(0));
        assert_eq!(day("1972-03-01"), Some(365 + 365 + 31 + 29)); // 1972 was a leap year
        assert_eq!(day("2000-03-01"), Some(11017)); // 30 years, 7 leap days before, 31 + 29 days
        for wrong in [
            "",
            "2027",
            "2027-13-01",
            "2027-02-29",
            "2027-00-10",
            "tomorrow",
            "2027-01-31-5",
        ] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_line_says_rule_pattern_and_last_day() {
        let line = Line::parse("leak:^main$  # until=1970-01-02 see #5", "f:1".into()).unwrap();
        assert_eq!(
            (line.rule, line.until, line.text.as_str()),
            (Some("leak"), Some(1), "leak:^main$")
        );
    }

    #[test]
    fn a_line_may_be_about_the_caller_alone() {
        for (text, scope) in [
            ("leak:^main$", Scope::Everywhere),
            ("leak:caller", Scope::Everywhere),
            ("leak caller:^main$", Scope::Caller),
            ("* caller : std::sort", Scope::Caller),
        ] {
            let line = Line::parse(text, String::new()).unwrap();
            assert_eq!(line.scope, scope, "{text}");
        }
        let error = Line::parse("leak callee:main", String::new()).unwrap_err();
        assert!(error.contains("`leak callee`"), "{error}");
    }

    #[test]
    fn a_free_comment_is_a_comment() {
        for (comment, until) in [
            ("see #5", None),
            ("see a=b", None),
            ("https://host/5?a=b", None),
            ("== known ==", None),
            ("until we know more", None),
            ("see #5, until=1970-01-02", Some(1)),
            ("until = 1970-01-02", Some(1)),
        ] {
            let line = Line::parse(&format!("leak:main # {comment}"), String::new()).unwrap();
            assert_eq!(line.until, until, "{comment}");
        }
    }

    #[test]
    fn a_mistake_names_what_was_written() {
        for (line, word) in [
            ("main", "`rule:pattern`"),
            ("leek:main", "`leak`"),
            ("leak:", "every stack"),
            ("*:*", "every stack"),
            ("leak:main # until=May", "`until=May` is no day"),
            ("leak:main # until=", "`until=` is no day"),
            (
                "leak:main # utnil=2027-01-01",
                "`utnil=` is not known after a suppression: there is `until`",
            ),
            ("leak:main #Until=2027-01-01", "`Until=` is not known"),
        ] {
            let error = Line::parse(line, String::new()).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
