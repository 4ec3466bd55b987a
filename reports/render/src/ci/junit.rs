//! JUnit XML: a suite for each severity's rules, a case for each finding, and a passing case for each rule without findings, so that a clean
//! run is not empty. Failures that are not findings, such as budgets, are failing cases too.

use aclsan_rules::judge::registry::RULES;
use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::Sources;
use crate::model::{Finding, Leaks, Report};
use crate::totals;

/// The document. A case fails if `fails` says that its finding fails the run; other findings are listed in the case's output. `apart` are
/// the reasons that are not findings.
///
/// # Errors
/// If XML cannot represent it.
pub fn document(
    report: &Report,
    sources: &Sources,
    fails: impl Fn(&Finding) -> bool,
    apart: &[String],
) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new("aclsan");
    for finding in &report.findings {
        suite.add_test_case(case(finding, &report.leaks, sources, fails(finding)));
    }
    for reason in apart {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type("check").set_message(reason.clone());
        let mut case = TestCase::new(reason.clone(), status);
        case.set_classname("aclsan.check");
        suite.add_test_case(case);
    }
    for rule in RULES {
        if report
            .each_finding()
            .all(|finding| finding.rule != rule.name)
        {
            let mut passed = TestCase::new("nothing found", TestCaseStatus::success());
            passed.set_classname(format!("aclsan.{}", rule.name));
            suite.add_test_case(passed);
        }
    }
    let mut document = Junit::new("aclsan");
    document.add_test_suite(suite);
    document.to_string()
}

fn case(finding: &Finding, leaks: &Leaks, sources: &Sources, fails: bool) -> TestCase {
    let text = super::text(finding, leaks);
    let status = match fails {
        true => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_type(finding.severity.name())
                .set_message(totals::message_with_total(finding, leaks))
                .set_description(text.clone());
            status
        }
        false => TestCaseStatus::success(),
    };
    let place = sources.place(finding);
    // Without the count: readers identify a case by its name from run to run.
    let name = match &place {
        Some(place) => format!("{} at {}:{}", finding.message, place.file, place.line),
        None => finding.message.clone(),
    };
    let mut case = TestCase::new(name, status);
    case.set_classname(format!("aclsan.{}", finding.rule));
    if let Some(place) = place {
        let extra = [("file", place.file), ("line", place.line.to_string())];
        case.extra
            .extend(extra.map(|(key, value)| (key.into(), value.into())));
    }
    if !fails {
        case.set_system_out(text);
    }
    case
}

#[cfg(test)]
mod tests {
    use super::super::sources;
    use super::*;
    use crate::testing::*;
    use aclsan_rules::evidence::rule::Severity;

    #[test]
    fn a_finding_that_fails_the_run_fails_its_case_and_every_other_rule_passes() {
        let fails = |finding: &Finding| finding.severity == Severity::Error;
        let xml = document(&report(), &sources(), fails, &[]).unwrap();
        assert_eq!(xml.matches("<failure ").count(), 1, "{xml}");
        assert_eq!(xml.matches("<testcase ").count(), RULES.len());
        assert!(xml.contains("file=\"train.cpp\" line=\"42\""));
        assert!(xml.contains("100% &lt;wrong>") || xml.contains("100% &lt;wrong&gt;"));
    }

    #[test]
    fn a_budget_that_is_exceeded_fails_a_case_of_its_own() {
        let apart = ["4096 bytes leaked, `--max-leak` allows 0 bytes".to_owned()];
        let xml = document(&report(), &sources(), |_| false, &apart).unwrap();
        assert_eq!(xml.matches("<failure ").count(), 1, "{xml}");
        assert!(xml.contains("classname=\"aclsan.check\""), "{xml}");
    }

    #[test]
    fn a_leak_s_message_has_its_sum_and_its_name_has_not() {
        let xml = document(&leaky(), &sources(), |_| true, &[]).unwrap();
        assert!(xml.contains(&format!("{IN_ALL}\" type")), "{xml}");
        assert!(xml.contains("was never released at train.cpp:42"), "{xml}");
        let passed = document(&leaky(), &sources(), |_| false, &[]).unwrap();
        assert!(passed.contains(IN_ALL), "{passed}");
    }
}
