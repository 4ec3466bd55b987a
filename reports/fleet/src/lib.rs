//! Questions about the tables of many processes, in the SQL that DuckDB, Spark and Trino share.
//!
//! A question is one file, `NAME.sql`: comments that are its page, then one `SELECT` without a semicolon. It names tables as
//! `aclsan-dataset` does, whatever an engine calls their files, and its page ends with the tables that it reads. Its order is total, so that
//! engines agree row for row; sums are `BIGINT`, since engines widen them differently, and shares are whole permilles or tenths, since they
//! round differently. `NAME.zh.txt` is the page in Chinese.

#![forbid(unsafe_code)]

/// A question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    pub name: &'static str,
    source: &'static str,
    chinese: &'static str,
}

macro_rules! questions {
    ($($name:literal,)*) => {
        /// All questions, by name.
        pub const QUESTIONS: &[Question] = &[$(Question {
            name: $name,
            source: include_str!(concat!("../", $name, ".sql")),
            chinese: include_str!(concat!("../", $name, ".zh.txt")),
        },)*];
    };
}

questions! {
    "died",
    "first-seen",
    "fragmentation",
    "grown-sites",
    "memory-by-model",
    "outlier-ranks",
    "top-wasters",
}

impl Question {
    /// The statement.
    pub fn sql(&self) -> String {
        let lines = self.source.lines();
        let lines = lines.filter(|line| !line.starts_with("--"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The page.
    pub fn page(&self) -> String {
        let lines = self.source.lines();
        let lines = lines.map_while(|line| line.strip_prefix("--"));
        let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The page in Chinese.
    pub fn chinese(&self) -> &'static str {
        self.chinese.trim_end()
    }

    /// The tables that it reads.
    pub fn tables(&self) -> Vec<&'static str> {
        let lines = self.source.lines();
        let list = lines
            .filter_map(|line| line.strip_prefix("-- Reads: "))
            .next();
        let list = list.unwrap_or_default().trim_end_matches('.');
        list.split(", ").filter(|name| !name.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_file_is_a_question_and_has_its_pages() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let files: BTreeSet<String> = names
            .filter_map(|name| name.strip_suffix(".sql").map(str::to_owned))
            .collect();
        let known: BTreeSet<String> = QUESTIONS.iter().map(|q| q.name.to_owned()).collect();
        assert_eq!(files, known);
        for question in QUESTIONS {
            let (page, chinese) = (question.page(), question.chinese());
            assert!(page.lines().count() >= 3, "{}", question.name);
            let is_chinese = |letter: char| ('\u{4e00}'..'\u{9fff}').contains(&letter);
            assert!(chinese.chars().any(is_chinese), "{}", question.name);
            assert!(!question.tables().is_empty(), "{}", question.name);
        }
    }

    #[test]
    fn statements_keep_to_what_engines_share() {
        for question in QUESTIONS {
            let sql = question.sql();
            assert!(sql.contains("ORDER BY"), "{}", question.name);
            assert!(!sql.contains(';'), "{}", question.name);
            for word in [
                "MEDIAN(",
                "PERCENTILE",
                "QUALIFY",
                "::",
                "LIST_",
                "UNNEST",
                "EXPLODE",
                "ANY_VALUE",
                "FILTER (",
                "USING (",
                "ILIKE",
                "\"",
                "`",
            ] {
                assert!(
                    !sql.to_uppercase().contains(word),
                    "{}: {word}",
                    question.name
                );
            }
            for table in question.tables() {
                assert!(sql.contains(table), "{}: {table}", question.name);
            }
        }
    }
}
