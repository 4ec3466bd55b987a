//! Names that a misspelt one may stand for.

/// The candidates within a third of the name's length in edits, or that contain it, nearest first, three at most.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .filter_map(|candidate| {
            let edits = edits(name, candidate);
            let is_part = name.len() >= 3 && candidate.contains(name);
            (edits <= most || is_part).then_some((edits, candidate))
        })
        .collect();
    near.sort();
    near.truncate(3);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Levenshtein distance: insertions, deletions and replacements that turn one into the other.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, &b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_own() {
        let names = ["double-free", "mismatched-free", "free-null"];
        assert_eq!(nearest("duoble-free", names.into_iter()), ["double-free"]);
        assert_eq!(nearest("null", names.into_iter()), ["free-null"]);
        assert!(nearest("zebra", names.into_iter()).is_empty());
    }

    #[test]
    fn edits_count_as_one_would_by_hand() {
        assert_eq!(edits("kitten", "sitting"), 3); // k→s, e→i, +g
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", "abc"), 0);
    }
}
