//! `free-null`: a release was given NULL.
//!
//! ## What it reports
//! A release of the NULL pointer.
//!
//! ## Why it matters
//! Unlike `free` and `cudaFree`, AscendCL returns an error. Nothing is lost by that,
//! but cleanup code that stops at the first error skips the remaining releases, and
//! NULL may be where a pointer was expected.
//!
//! ## Example
//! ```c
//! void *buffer = NULL;
//! if (aclrtFree(buffer) != ACL_SUCCESS) return -1;   // free-null
//! ```
//!
//! ## How to fix it
//! Ask for NULL before the release, as `free` does by itself.
//!
//! ## What it cannot see
//! Whether the program expects the error and handles it.
//!
//! Source: AscendCL API reference, `aclrtFree`; runtime 681ef761 (CANN 9.2). For
//! `hi_mpi_dvpp_free` only "0: success, else: failure" is documented (CANN 8.0).

use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::rule::{Rule, Severity};

/// `free-null`.
pub static RULE: Rule = Rule {
    name: "free-null",
    severity: Severity::Note,
    summary: "a release was given NULL",
    is_live: true,
    source: include_str!("free_null.rs"),
};

/// Checks the release of `address`.
pub fn check(call: &Call, address: u64) -> Option<Finding> {
    if address != 0 {
        return None;
    }
    let message = format!("`{}` was given NULL", call.function.name);
    let runtime = (call.function.vendor().null_release)(call.function);
    Some(
        Finding::new(&RULE, call.site, message)
            .advise(runtime, "ask for NULL before the release, as `free` does"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn null_is_reported_without_an_address() {
        let found = check(&call("aclrtFreeHost"), 0).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(found.address, None);
    }

    #[test]
    fn any_other_address_is_silent() {
        assert_eq!(check(&call("aclrtFree"), 8), None);
    }
}
