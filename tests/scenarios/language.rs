//! The language of what the shim prints: the option `lang`, else the locale's.

use crate::trial::Trial;

const ENGLISH: &str = "double-free: `aclrtFree` released a block of";
const CHINESE: &str = "double-free: `aclrtFree` 释放了此前已释放的内存块";

fn trial(test: &str) -> Trial {
    Trial::new("releases/double_free.c", test)
}

#[test]
fn findings_are_printed_in_the_language_of_the_option() {
    let mut trial = trial("language-option");
    for (option, expected) in [("lang=zh", CHINESE), ("lang=en", ENGLISH)] {
        let run = trial.options(option).watched();
        assert!(run.stderr.contains(expected), "{option}: {}", run.stderr);
        // Scripts read these.
        for kept in ["ERROR: aclsan: double-free: ", "SUMMARY: aclsan: "] {
            assert!(run.stderr.contains(kept), "{option}: {}", run.stderr);
        }
    }
}

#[test]
fn findings_follow_the_locale_unless_the_option_says_otherwise() {
    let mut trial = trial("language-locale");
    trial.environment("LC_ALL", "zh_CN.UTF-8");
    let run = trial.watched();
    assert!(run.stderr.contains(CHINESE), "{}", run.stderr);
    assert!(
        run.stderr.contains("详见：aclsan explain double-free"),
        "{}",
        run.stderr
    );
    let run = trial.options("lang=en").watched();
    assert!(run.stderr.contains(ENGLISH), "{}", run.stderr);
}
