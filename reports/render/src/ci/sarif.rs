//! SARIF 2.1.0, the format of code scanning: rules with their documentation, results with stacks and fingerprints.

use aclsan_rules::evidence::rule::{Rule, Severity};
use aclsan_rules::judge::registry::RULES;
use serde_json::{Value, json};

use super::{Place, Sources};
use crate::model::{Finding, Frame, Leaks, Report, Trace};

/// Maximum number of results that major readers accept from one run (GitHub: 25,000).
const MAX_RESULTS: usize = 25_000;

/// The document. `known` says which findings a baseline contains; `apart` are the reasons for failure that are not findings.
pub fn document(
    report: &Report,
    sources: &Sources,
    known: impl Fn(&Finding) -> bool,
    apart: &[String],
) -> Value {
    let results = report.findings.iter().take(MAX_RESULTS);
    let results: Vec<Value> = results
        .map(|finding| result(finding, &report.leaks, sources, known(finding)))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "aclsan",
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(|rule| self::rule(rule)).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": apart.is_empty(),
                "toolExecutionNotifications": apart.iter()
                    .map(|reason| json!({ "level": "error", "message": { "text": reason } }))
                    .collect::<Vec<_>>(),
            }],
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "name": rule.name,
        "shortDescription": { "text": format!("{}.", rule.summary) },
        "fullDescription": { "text": format!("{}.", rule.summary) },
        "help": { "text": rule.page(), "markdown": rule.page() },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": ["memory", "ascend", "npu"] },
    })
}

fn level(severity: Severity) -> &'static str {
    severity.name()
}

fn result(finding: &Finding, leaks: &Leaks, sources: &Sources, is_known: bool) -> Value {
    let index = RULES.iter().position(|rule| rule.name == finding.rule);
    let place = sources.place(finding);
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": super::text(finding, leaks) },
        "locations": [location(place.as_ref(), &finding.stacks.here)],
        "partialFingerprints": {
            "aclsanStack/v1": finding.fingerprint,
            "primaryLocationLineHash": finding.fingerprint,
        },
        "occurrenceCount": finding.count.max(1),
        "baselineState": if is_known { "unchanged" } else { "new" },
        "stacks": std::iter::once(&finding.stacks.here).chain(&finding.stacks.earlier)
            .map(|trace| stack(trace, sources)).collect::<Vec<_>>(),
    });
    let earlier = finding.stacks.earlier.iter().filter_map(|trace| {
        let place = sources.innermost(trace)?;
        let mut location = location(Some(&place), trace);
        location["message"] =
            json!({ "text": format!("{} `{}`", super::label(trace), trace.function) });
        Some(location)
    });
    let consequences = finding.consequences.iter().map(|other| {
        let here = &other.stacks.here;
        let mut location = location(sources.innermost(here).as_ref(), here);
        location["message"] = json!({ "text": other.consequence_line() });
        location
    });
    let related: Vec<Value> = earlier.chain(consequences).collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    result
}

/// A location with a source line if there is one, and always with the function.
fn location(place: Option<&Place>, trace: &Trace) -> Value {
    let mut location = json!({});
    if let Some(place) = place {
        location["physicalLocation"] = physical(place);
    }
    let named = trace.caller().and_then(|frame| frame.function.as_deref());
    let name = named.unwrap_or(&trace.function);
    location["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": "function" }]);
    location
}

fn physical(place: &Place) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&place.file), "uriBaseId": "%SRCROOT%" },
        "region": { "startLine": place.line },
    })
}

fn stack(trace: &Trace, sources: &Sources) -> Value {
    let frames = trace.frames.iter().map(|frame| stack_frame(frame, sources));
    json!({
        "message": { "text": format!("{} `{}`", super::label(trace), trace.function) },
        "frames": frames.collect::<Vec<_>>(),
    })
}

fn stack_frame(frame: &Frame, sources: &Sources) -> Value {
    let mut location = json!({
        "logicalLocations": [{ "fullyQualifiedName": frame.identity(), "kind": "function" }],
    });
    if let Some(place) = sources.line(frame) {
        location["physicalLocation"] = physical(&place);
    }
    json!({ "location": location, "module": frame.module_name() })
}

/// A path as a relative URI reference, percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' | b'+' => {
                uri.push(byte.into())
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::super::sources;
    use super::*;
    use crate::testing::*;

    #[test]
    fn a_result_has_its_rule_line_stacks_and_fingerprint() {
        let document = document(
            &report(),
            &sources(),
            |finding| finding.rule == "free-null",
            &[],
        );
        let run = &document["runs"][0];
        let result = &run["results"][0];
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "double-free");
        assert_eq!(result["level"], "error");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "train.cpp");
        assert_eq!(place["region"]["startLine"], 42);
        assert_eq!(
            result["partialFingerprints"]["aclsanStack/v1"],
            "00000000000000ab"
        );
        assert_eq!(result["stacks"].as_array().unwrap().len(), 2);
        assert_eq!(result["baselineState"], "new");
        assert_eq!(run["results"][1]["baselineState"], "unchanged");
        assert!(
            run["results"][1]["locations"][0]
                .get("physicalLocation")
                .is_none()
        );
    }

    #[test]
    fn consequences_are_related_locations_and_no_results() {
        let mut report = report();
        let other = crate::model::Finding {
            rule: "guard-overrun",
            ..finding(Severity::Error)
        };
        report.findings[0].consequences.push(other);
        let document = document(&report, &sources(), |_| false, &[]);
        let results = document["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        let related = results[0]["relatedLocations"].as_array().unwrap();
        let last = related.last().unwrap();
        let text = last["message"]["text"].as_str().unwrap();
        assert!(text.starts_with("consequence: guard-overrun at "), "{text}");
        let place = &last["physicalLocation"]["region"]["startLine"];
        assert_eq!(place, 42);
    }

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(uri("a b/ü#.c"), "a%20b/%C3%BC%23.c");
    }

    #[test]
    fn a_leak_s_text_has_its_sum() {
        let document = document(&leaky(), &sources(), |_| false, &[]);
        let text = &document["runs"][0]["results"][0]["message"]["text"];
        assert!(text.as_str().unwrap().contains(IN_ALL), "{text}");
    }

    #[test]
    fn why_a_check_failed_apart_from_findings_is_reported_of_the_run() {
        let of = |apart: &[String]| {
            let document = document(&report(), &sources(), |_| false, apart);
            document["runs"][0]["invocations"][0].clone()
        };
        assert_eq!(of(&[])["executionSuccessful"], true);
        let run = of(&["5 bytes leaked".to_owned()]);
        assert_eq!(run["executionSuccessful"], false);
        let notification = &run["toolExecutionNotifications"][0];
        assert_eq!(notification["message"]["text"], "5 bytes leaked");
    }
}
