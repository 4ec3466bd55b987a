//! Puts consequences below their roots.

use std::cmp::Reverse;

use super::Finding;

/// The roots of `flat`, each with the findings that follow from it, most severe first. `roots` has the indices of the
/// findings that each one follows from; none for a root. What follows from several is listed with each of them.
///
/// A root takes over the severity of a more severe consequence, so that a run that failed keeps failing.
pub fn nest(flat: Vec<Finding>, roots: &[Vec<usize>]) -> Vec<Finding> {
    let of = |at: usize| roots.get(at).map_or(&[][..], Vec::as_slice);
    let mut all: Vec<Option<Finding>> = flat.into_iter().map(Some).collect();
    for at in 0..all.len() {
        let is_root = |root: &&usize| of(**root).is_empty() && **root != at;
        let own: Vec<usize> = of(at).iter().filter(is_root).copied().collect();
        let is_known = |root: &usize| all.get(*root).is_some_and(Option::is_some);
        if own.is_empty() || !own.iter().all(is_known) {
            continue;
        }
        let Some(consequence) = all[at].take() else {
            continue;
        };
        for root in own {
            if let Some(root) = &mut all[root] {
                root.consequences.push(consequence.clone());
            }
        }
    }
    let mut nested: Vec<Finding> = all.into_iter().flatten().collect();
    nested.iter_mut().for_each(Finding::raise);
    nested.sort_by_key(|finding| Reverse(finding.severity));
    nested
}

impl Finding {
    /// Sets the severity to the highest of its own and of its consequences.
    pub fn raise(&mut self) {
        let of_consequences = self.consequences.iter().map(|other| other.severity);
        self.severity = of_consequences.fold(self.own_severity, Ord::max);
    }

    /// Names a consequence: its rule and place.
    pub fn consequence_head(&self) -> String {
        let place = self.stacks.here.caller_label();
        format!("consequence: {} at {place}", self.rule)
    }

    /// A consequence in one line.
    pub fn consequence_line(&self) -> String {
        format!("{}: {}", self.consequence_head(), self.message)
    }

    /// The finding and its consequences.
    pub fn each(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.consequences)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::finding;
    use aclsan_rules::evidence::rule::Severity;

    fn flat(severities: &[Severity]) -> Vec<Finding> {
        let numbered = severities.iter().enumerate();
        let findings = numbered.map(|(at, &severity)| Finding {
            fingerprint: at.to_string(),
            ..finding(severity)
        });
        findings.collect()
    }

    /// Each root's fingerprint, severity and the fingerprints below it.
    fn shape(nested: &[Finding]) -> Vec<(&str, Severity, Vec<&str>)> {
        let rows = nested.iter().map(|root| {
            let below = root.consequences.iter();
            let below = below.map(|other| other.fingerprint.as_str()).collect();
            (root.fingerprint.as_str(), root.severity, below)
        });
        rows.collect()
    }

    #[test]
    fn consequences_leave_the_list_for_each_of_their_roots() {
        use Severity::{Error, Warning};
        let nested = nest(
            flat(&[Error, Error, Warning, Warning]),
            &[vec![], vec![], vec![0, 1], vec![]],
        );
        let expected = [
            ("0", Error, vec!["2"]),
            ("1", Error, vec!["2"]),
            ("3", Warning, vec![]),
        ];
        assert_eq!(shape(&nested), expected);
    }

    #[test]
    fn a_root_takes_over_the_severity_and_its_place_in_the_order() {
        use Severity::{Error, Note, Warning};
        let nested = nest(flat(&[Error, Warning, Note]), &[vec![2], vec![], vec![]]);
        let expected = [("2", Error, vec!["0"]), ("1", Warning, vec![])];
        assert_eq!(shape(&nested), expected);
        assert_eq!(nested[0].own_severity, Note);
    }

    #[test]
    fn what_has_no_root_in_the_list_stays_in_it() {
        let nested = nest(flat(&[Severity::Error]), &[vec![7]]);
        assert_eq!(nested.len(), 1);
    }
}
