//! Comparisons of strings in constants, which `==` cannot do yet.

/// `==`.
pub(crate) const fn is_same(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// Whether one of `names` is `name`.
pub(crate) const fn has(names: &[&str], name: &str) -> bool {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at].as_bytes(), name.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

pub(crate) const fn is_all(names: &[&str], others: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len()
        && at < others.len()
        && is_same(names[at].as_bytes(), others[at].as_bytes())
    {
        at += 1;
    }
    at == names.len() && at == others.len()
}

pub(crate) const fn are_all(names: &[&str], of: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() && has(of, names[at]) {
        at += 1;
    }
    at == names.len()
}
