//! Banned private words and non-US spellings in comments and documents.
//!
//! A pattern is a word or phrase; it matches whole words in any case. A line that needs one is listed with its file.

use crate::checkout::{File, files};

/// Phrase and replacement.
const BANNED: &[(&str, &str)] = &[
    ("told", "reported, given, known"),
    ("tells of", "reports"),
    ("is told", "is reported"),
    ("stands", "is"),
    ("stood", "was"),
    ("laid", "written"),
    ("lies", "is"),
    ("lay", "write, place"),
    ("met", "seen, found"),
    ("astray", "unknown pointer"),
    ("behind which", "after which"),
    ("of which there", "(say it in two sentences)"),
    ("that has it", "(name it)"),
    ("in its stead", "instead"),
    ("in their stead", "instead"),
    ("whereof", "of which"),
    ("so many", "(say how many)"),
    ("lest", "so that … not"),
    ("amid", "during"),
    ("anew", "again"),
    ("colour", "color"),
    ("behaviour", "behavior"),
    ("initialise", "initialize"),
    ("initialised", "initialized"),
    ("synchronise", "synchronize"),
    ("synchronised", "synchronized"),
    ("recognise", "recognize"),
    ("licence", "license"),
];

/// Idioms with one of these words that everybody understands.
const IDIOMS: &[&str] = &[
    "stands for",
    "stand for",
    "stands out",
    "stands still",
    "laid out",
    "told the host",
    "are told to",
];

/// Comments that begin with a noun clause say neither what a thing is nor what it does.
const OPENINGS: &[&str] = &[
    "what is ",
    "what has ",
    "what was ",
    "whatever ",
    "which of ",
];

/// File and part of the line: foreign names, quotations and data.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Foreign texts and data.
fn is_exempt(file: &File) -> bool {
    let foreign = [
        "LICENSE",
        "Cargo.lock",
        "/seeds/",
        "tidy/words.rs",
        ".report",
    ];
    foreign.iter().any(|part| file.name.contains(part))
}

/// The part of a line that is prose: a comment's text, or all of a document's line.
fn prose<'a>(file: &File, line: &'a str) -> Option<&'a str> {
    let line = line.trim_start();
    let mark = match file.name.rsplit('.').next() {
        Some("md") => return Some(line),
        Some("rs" | "c" | "h" | "cc" | "cpp" | "mjs" | "js") => "//",
        Some("py" | "sh" | "toml" | "yml") => "#",
        _ if file.name.starts_with(".ci/") => "#",
        _ => return None,
    };
    if line.starts_with("/*") || line.starts_with("* ") {
        return Some(line);
    }
    let at = line.find(mark)?;
    let is_comment = at == 0 || line[..at].ends_with(' ');
    is_comment.then(|| line[at..].trim_start_matches(['/', '!', '#']).trim_start())
}

/// Whether `phrase` is in `text` as whole words.
fn has(text: &str, phrase: &str) -> bool {
    let is_word =
        |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    text.match_indices(phrase).any(|(at, _)| {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).map(|at| bytes[at]);
        !is_word(before) && !is_word(bytes.get(at + phrase.len()).copied())
    })
}

#[test]
fn comments_use_the_words_of_the_field() {
    let mut wrong = Vec::new();
    for file in files().iter().filter(|file| !is_exempt(file)) {
        for (number, line) in file.text.lines().enumerate() {
            let Some(prose) = prose(file, line) else {
                continue;
            };
            let excepted = |(name, part): &(&str, &str)| file.name == *name && line.contains(part);
            if EXCEPTIONS.iter().any(excepted) {
                continue;
            }
            let mut text = prose.to_lowercase();
            for idiom in IDIOMS {
                text = text.replace(idiom, "");
            }
            let place = format!("{}:{}", file.name, number + 1);
            for (phrase, instead) in BANNED.iter().filter(|(phrase, _)| has(&text, phrase)) {
                wrong.push(format!(
                    "{place}: `{phrase}`: {instead}: {}",
                    prose.trim_end()
                ));
            }
            if OPENINGS.iter().any(|opening| text.starts_with(opening))
                && line.trim_start().starts_with("//")
            {
                wrong.push(format!(
                    "{place}: begins with a noun clause: {}",
                    prose.trim_end()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} lines\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
