//! Messages about rule names that users write.

use aclsan_rules::judge::registry::RULES;

use crate::io::hints::Hints;
use crate::io::suggest::nearest;

/// Offers the rules' names.
pub fn hints() -> Hints<String> {
    Hints::new(|| RULES.iter().map(|rule| rule.name.to_owned()).collect())
}

/// The message for an unknown rule name, with the nearest ones.
pub fn unknown(name: &str) -> String {
    let near = nearest(name, RULES.iter().map(|rule| rule.name));
    match near.is_empty() {
        true => format!("`{name}` is not a rule: `aclsan rules` lists them"),
        false => format!(
            "`{name}` is not a rule: did you mean `{}`? `aclsan rules` lists them all",
            near.join("` or `")
        ),
    }
}
