//! Numbers with their unit, for sentences.

/// "1 byte", "64 bytes".
pub fn bytes(count: impl Into<u128>) -> String {
    plural(count, "byte")
}

/// `count` things: "1 block", "3 blocks".
pub fn plural(count: impl Into<u128>, thing: &str) -> String {
    let count = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
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
    }
}
