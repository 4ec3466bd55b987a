//! The page's content security policy: only our script and style match its digests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The policy of a page with exactly this script and style. Nothing is loaded from elsewhere, and no form can be submitted. Workers are
/// started from blobs only, which only a script that runs already can make.
pub fn policy(script: &str, style: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'",
        source(script),
        source(style),
    )
}

/// A hash source as defined by CSP Level 3: the digest of the element's text.
fn source(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

/// `bytes` in base64 (RFC 4648), padded.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_digests_of_script_and_style() {
        // Examples of FIPS 180-4: the empty text, and `abc`.
        let policy = policy("abc", "");
        let script = "script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        let style = "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        assert!(
            policy.contains(script) && policy.contains(style),
            "{policy}"
        );
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(policy.contains("; worker-src blob:; "), "{policy}");
        assert_eq!(policy.matches("blob:").count(), 1, "{policy}");
    }
}
