//! Numbers with their unit, and nouns with their article, for sentences.

/// "1 byte", "64 bytes".
pub fn bytes(count: impl Into<u128>) -> String {
    plural(count, "byte")
}

/// `count` things: "1 block", "3 blocks", "2 queries", "2 batches of pictures".
pub fn plural(count: impl Into<u128>, thing: &str) -> String {
    let count = count.into();
    if count == 1 {
        return format!("1 {thing}");
    }
    let (noun, rest) = thing.split_at(thing.find(" of ").unwrap_or(thing.len()));
    let consonant = noun
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'o']));
    let ending = consonant.map(|stem| (stem, "ies"));
    let ending = ending.or_else(|| noun.ends_with("ch").then_some((noun, "es")));
    let (stem, ending) = ending.unwrap_or((noun, "s"));
    format!("{count} {stem}{ending}{rest}")
}

/// The noun after "a" or "an", by its first letter.
pub fn with_article(noun: &str) -> String {
    let article = match noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) {
        true => "an",
        false => "a",
    };
    format!("{article} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        assert_eq!(
            [bytes(0u64), bytes(1u64), plural(2u64, "row")],
            ["0 bytes", "1 byte", "2 rows"]
        );
        assert_eq!(
            ["memory key", "count notify", "batch of pictures"].map(|thing| plural(2u64, thing)),
            ["2 memory keys", "2 count notifies", "2 batches of pictures"]
        );
        assert_eq!(plural(1u64, "batch of pictures"), "1 batch of pictures");
    }

    #[test]
    fn a_vowel_takes_an() {
        assert_eq!(
            ["event", "AIPP configuration", "stream"].map(with_article),
            ["an event", "an AIPP configuration", "a stream"]
        );
    }
}
