//! `executor-used-twice`: an operator's executor was used after it had ended.
//!
//! ## What it reports
//! The second phase of an operator (`aclnnXxx`) with an executor that has already run
//! and was not made repeatable, or that was destroyed; also `aclDestroyAclOpExecutor`
//! and `aclSetAclOpExecutorRepeatable` on such an executor.
//!
//! ## Why it matters
//! The second phase deletes the executor, whether it succeeds or fails. Using it again
//! reads freed memory of the C++ heap: the operator may run on other tensors or not at
//! all, or the process crashes, now or later.
//!
//! ## Example
//! ```c
//! aclnnAddGetWorkspaceSize(a, b, alpha, c, &size, &executor);
//! aclnnAdd(workspace, size, executor, stream);
//! aclnnAdd(workspace, size, executor, stream);   // executor-used-twice
//! ```
//!
//! ## How to fix it
//! Call the first phase again for each launch, or make the executor repeatable with
//! `aclSetAclOpExecutorRepeatable`.
//!
//! ## What it cannot see
//! A second use after the address was given to another executor: it is then a use of
//! that one. Generated operators (`NnopbaseRunWithWorkspace`), whose executors are kept
//! and handed out again. Once a second phase came without a first phase that was seen,
//! the rule stays silent.
//!
//! Source: CANN operator library base, `CommonOpExecutorRun`,
//! `aclSetAclOpExecutorRepeatable` (opbase aa3cd74b, CANN 9.2).

use crate::api::functions::{Call, FUNCTIONS};
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::CallSiteId;

/// `executor-used-twice`.
pub static RULE: Rule = Rule {
    name: "executor-used-twice",
    severity: Severity::Error,
    summary: "an operator's executor was used after it had ended",
    is_live: true,
    source: include_str!("executor_used_twice.rs"),
};

/// What ended an executor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// The number of the function. Not its name: executors are many, and this keeps them small.
    pub by: u16,
    /// The call.
    pub site: CallSiteId,
}

impl Ended {
    /// The call ended it.
    pub fn by(call: &Call) -> Self {
        Self {
            by: call.function.number(),
            site: call.site,
        }
    }
}

/// Checks the use of an executor that has ended.
pub fn check(call: &Call, ended: Ended) -> Finding {
    let calls = call.function.vendor().calls;
    let message = format!(
        "`{}` was given an executor that `{}` had ended",
        call.function.name,
        FUNCTIONS[usize::from(ended.by)].name
    );
    Finding::new(&RULE, call.site, message)
        .after(Earlier::Released, ended.site)
        .advise(
            "reads the freed executor: the operator runs on what is left of it, or the process goes down",
            format!("call `{}` for each run; or `{}` before the first, and `{}` after the last", calls.workspace_size, calls.keep_executor, calls.destroy_executor),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::functions::number;
    use crate::evidence::testing::*;

    #[test]
    fn a_second_run_names_what_ended_the_executor() {
        let ended = Ended {
            by: number("CommonOpExecutorRun"),
            site: RELEASE_SITE,
        };
        let found = check(&call("CommonOpExecutorRun"), ended);
        assert_eq!(
            found.message,
            "`CommonOpExecutorRun` was given an executor that `CommonOpExecutorRun` had ended"
        );
        assert_eq!(found.earlier, [(Earlier::Released, RELEASE_SITE)]);
    }

    #[test]
    fn a_destroyed_one_is_reported_as_such() {
        let ended = Ended {
            by: number("aclDestroyAclOpExecutor"),
            site: RELEASE_SITE,
        };
        assert!(
            check(&call("CommonOpExecutorRun"), ended)
                .message
                .ends_with("`aclDestroyAclOpExecutor` had ended")
        );
    }
}
