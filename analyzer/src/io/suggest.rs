//! "Did you mean": the known names closest to a misspelled one.

use strsim::osa_distance;

/// Returns the candidates within edit distance `len / 3` of `name`, or that contain it: nearest first, at most three.
///
/// The distance is optimal string alignment, which counts a swap of neighboring letters as one edit.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .filter_map(|candidate| {
            let edits = osa_distance(name, candidate);
            let is_part = name.len() >= 3 && candidate.contains(name);
            (edits <= most || is_part).then_some((edits, candidate))
        })
        .collect();
    near.sort();
    near.truncate(3);
    near.into_iter().map(|(_, candidate)| candidate).collect()
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
    fn a_swap_of_neighbors_is_one_edit() {
        assert_eq!(nearest("raed", ["read"].into_iter()), ["read"]); // one edit is allowed in four letters
        assert!(nearest("raex", ["read"].into_iter()).is_empty());
    }
}
