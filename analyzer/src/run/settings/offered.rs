//! What completions offer for options: keys, and the values of those that take a few words.

use aclsan_options::{KEYS, Key};

/// The words that an option takes, if it takes nothing else.
pub fn values(key: &Key) -> Vec<&'static str> {
    let words: Vec<&str> = key
        .values
        .split(", ")
        .flat_map(|part| part.split(" or "))
        .collect();
    let is_word = |word: &&str| !word.contains(' ') && !["text", "1/N"].contains(word);
    words.into_iter().filter(is_word).collect()
}

/// `key=value` for each, and `key=` for options that take other values.
pub fn pairs() -> Vec<String> {
    let pairs = KEYS.iter().flat_map(|key| {
        let values = values(key);
        let pairs = values.iter().map(|value| format!("{}={value}", key.name));
        match values.is_empty() {
            true => vec![format!("{}=", key.name)],
            false => pairs.collect(),
        }
    });
    pairs.collect()
}

#[test]
fn pairs_are_what_the_options_take() {
    let pairs = pairs();
    for pair in [
        "guard=page",
        "fill=1",
        "lang=zh",
        "mode=record",
        "stack_depth=",
        "log_path=",
    ] {
        assert!(
            pairs.iter().any(|offered| offered == pair),
            "{pair}: {pairs:?}"
        );
    }
    for pair in pairs.iter().filter(|pair| !pair.ends_with('=')) {
        let (key, value) = pair.split_once('=').expect("a pair");
        assert!(aclsan_options::check(key, value).is_ok(), "{pair}");
    }
}
