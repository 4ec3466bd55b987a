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

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, a) in from.iter().enumerate() {
        let mut next = vec![line + 1];
        for (column, b) in to.iter().enumerate() {
            let replaced = row[column] + usize::from(a != b);
            let mut least = replaced.min(row[column + 1] + 1).min(next[column] + 1);
            if line > 0 && column > 0 && from[line - 1] == *b && to[column - 1] == *a {
                least = least.min(above[column - 1] + 1);
            }
            next.push(least);
        }
        above = std::mem::replace(&mut row, next);
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
        assert_eq!(
            nearest("chekc", ["check", "options"].into_iter()),
            ["check"]
        );
        assert_eq!(nearest("null", names.into_iter()), ["free-null"]);
        assert!(nearest("zebra", names.into_iter()).is_empty());
    }

    #[test]
    fn edits_count_as_one_would_by_hand() {
        assert_eq!(edits("kitten", "sitting"), 3); // k→s, e→i, +g
        assert_eq!(edits("chekc", "check"), 1); // kc↔ck
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", "abc"), 0);
    }
}
