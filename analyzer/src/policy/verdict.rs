//! Decides whether a run passes.

use std::collections::HashSet;
use std::str::FromStr;

use aclsan_render::Report;
use aclsan_render::model::{Estimate, Finding, Process, Trace};
use aclsan_render::units::counted;
use aclsan_rules::evidence::estimate::Spread;
use aclsan_rules::evidence::rule::Severity;
use aclsan_rules::judge::registry::{RULES, rule};

use crate::io::hints::Hints;
use crate::policy::baseline::Baseline;
use crate::policy::limit_text::{in_bytes, in_percent};
use aclsan_frames::Pattern;

/// Which findings fail a run: `--fail-on`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailOn {
    /// Findings of at least this severity; `None` for none by severity.
    severity: Option<Severity>,
    /// Findings of these rules, whatever their severity.
    rules: Vec<&'static str>,
    text: String,
}

impl Default for FailOn {
    fn default() -> Self {
        Self {
            severity: Some(Severity::Error),
            rules: Vec::new(),
            text: "error".to_owned(),
        }
    }
}

impl FailOn {
    /// Offers severities and rules.
    pub fn hints() -> Hints<Self> {
        Hints::new(|| {
            let severities = [Severity::Error, Severity::Warning, Severity::Note];
            let severities = severities.map(|severity| severity.name().to_owned());
            let rules = RULES.iter().map(|rule| rule.name.to_owned());
            severities.into_iter().chain(rules).collect()
        })
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut fail_on = Self {
            severity: None,
            rules: Vec::new(),
            text: text.to_owned(),
        };
        for word in text.split(',').map(str::trim) {
            let severity = match word {
                "error" => Some(Severity::Error),
                "warning" => Some(Severity::Warning),
                "note" => Some(Severity::Note),
                _ => None,
            };
            match (severity, rule(word)) {
                (Some(severity), _) => {
                    let known = fail_on.severity.unwrap_or(severity);
                    fail_on.severity = Some(known.min(severity));
                }
                (None, Some(rule)) => fail_on.rules.push(rule.name),
                (None, None) => {
                    return Err(format!(
                        "{}; severities are `error`, `warning` and `note`",
                        crate::policy::rule_names::unknown(word)
                    ));
                }
            }
        }
        Ok(fail_on)
    }
}

impl FailOn {
    /// Whether only errors can fail a run.
    pub fn is_of_errors(&self) -> bool {
        self.rules.is_empty() && self.severity.is_none_or(|least| least == Severity::Error)
    }

    /// Whether `finding` or what follows from it fails a run.
    pub fn fails(&self, finding: &Finding) -> bool {
        finding
            .each()
            .any(|one| self.names(one) || self.is_as_bad(one))
    }

    fn names(&self, finding: &Finding) -> bool {
        self.rules.contains(&finding.rule)
    }

    /// By its own severity: what follows from it is asked for itself.
    fn is_as_bad(&self, finding: &Finding) -> bool {
        self.severity
            .is_some_and(|severity| finding.own_severity >= severity)
    }
}

/// Most live bytes by category.
pub type CategoryPeaks = Vec<(&'static str, u64)>;

/// The limits of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Budget {
    /// Leaked bytes of all processes.
    pub leak: Option<u64>,
    /// Bytes live at once on one device, in one process.
    pub peak: Option<u64>,
    /// Bytes of a category live at once, in one process.
    pub category_peaks: CategoryPeaks,
    /// Fragmentation `1 − L/F` of a page class at its peak, between 0 and 1.
    pub fragmentation: Option<f64>,
    /// Limits of single sites.
    pub sites: Vec<SiteBudget>,
}

/// The limits of one place: all calls with a frame whose function, file or module matches the pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct SiteBudget {
    /// As written.
    pub text: String,
    /// The parsed pattern.
    pub place: Pattern,
    /// Most bytes that all its calls may leak together.
    pub leak: Option<u64>,
    /// Most bytes that each of its call stacks may have live at once. Their common peak is unknown.
    pub peak: Option<u64>,
}

impl SiteBudget {
    /// Whether `trace` has a matching frame; allocation wrappers do not count.
    pub fn covers(&self, trace: &Trace) -> bool {
        trace.callers().any(|frame| {
            let names = [frame.function.as_deref(), frame.file.as_deref()];
            names
                .into_iter()
                .flatten()
                .any(|name| self.place.matches(name))
                || self.place.matches(&frame.module)
        })
    }

    /// Whether no call stack of the run matches: a misspelled place limits nothing, which must be reported.
    fn is_unmatched(&self, report: &Report) -> bool {
        let leaks = report.leaks.sites.iter().map(|site| &site.allocated);
        let sites = report.allocations.sites.iter().map(|site| &site.allocated);
        !leaks.chain(sites).any(|trace| self.covers(trace))
    }

    fn reasons(&self, report: &Report, names: &[String], reasons: &mut Vec<String>) {
        let leaks = report.leaks.sites.iter();
        let leaks = leaks.filter(|site| self.covers(&site.allocated));
        let (mut leaked, mut spread) = (0_u64, Spread::default());
        for site in leaks {
            leaked = leaked.saturating_add(site.bytes);
            spread.absorb(&site.spread);
        }
        let leaked = proven(leaked, Estimate::of(leaked, &spread));
        if let Some(most) = self.leak.filter(|most| leaked > *most) {
            let (leaked, most) = in_bytes(leaked, most);
            let place = &self.text;
            reasons.push(format!(
                "{leaked} leaked in `{place}`, its budget allows {most}"
            ));
        }
        let sites = report.allocations.sites.iter();
        let sites = sites.filter(|site| self.covers(&site.allocated));
        let peaks = sites.map(|site| {
            let peak = proven_peak(report, site.peak_bytes, site.allocated_bytes);
            (peak, site)
        });
        let highest = peaks.max_by_key(|(peak, _)| *peak);
        if let (Some(most), Some((peak, site))) = (self.peak, highest)
            && peak > most
        {
            let (peak, most) = in_bytes(peak, most);
            reasons.push(format!(
                "a call stack in `{}` had {peak} live in process {}, its budget allows {most} to each",
                self.text, names[site.process],
            ));
        }
    }
}

/// What a budget judges of a sum: if it is an estimate, the bytes that were there with 95 % confidence. Chance fails no run.
fn proven(bytes: u64, estimate: Option<Estimate>) -> u64 {
    estimate.map_or(bytes, |estimate| estimate.low_bytes)
}

/// How often the memory of a category may have been renewed.
const RENEWED: u64 = 100;

/// As [`proven`], for a peak whose spread is not known.
fn proven_peak(report: &Report, peak: u64, allocated: u64) -> u64 {
    let mean = report.own.block_sample;
    proven(
        peak,
        Estimate::of_peak(peak, allocated, &Spread::widest(peak, mean)),
    )
}

/// Signals by which a program ends through a mistake of its own, and not because somebody wants it to end.
const CRASHES: [&str; 7] = [
    "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP",
];

/// Why a run fails; it passes without a reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// The reasons, a clause each.
    pub reasons: Vec<String>,
    /// Fingerprints of findings that fail it by themselves.
    pub failing: HashSet<String>,
    /// Reasons that are not findings.
    pub apart: Vec<String>,
    /// Places with a budget that no call stack matches, as written.
    pub unmatched: Vec<String>,
    /// Categories with a budget that the program gave to no memory.
    pub unused_categories: Vec<String>,
    is_unobserved: bool,
}

impl Verdict {
    /// Judges `report`. With a leak budget, leaks fail a run only by their bytes, unless `fail_on` names their rule. Findings in the
    /// baseline do not fail it.
    pub fn of(report: &Report, fail_on: &FailOn, budget: &Budget, baseline: &Baseline) -> Self {
        let has_budget = |finding: &Finding| {
            budget.leak.is_some()
                && report
                    .leaks
                    .sites
                    .iter()
                    .any(|site| site.fingerprint == finding.fingerprint)
        };
        let fails_by = |one: &Finding| {
            !baseline.knows(one)
                && (fail_on.names(one) || fail_on.is_as_bad(one) && !has_budget(one))
        };
        // What follows from a known finding is no news, unless it is more severe.
        let counts = |root: &Finding, other: &Finding| {
            !baseline.knows(root) || other.own_severity > root.own_severity
        };
        let failing = report.findings.iter().filter(|finding| {
            let mut consequences = finding.consequences.iter();
            fails_by(finding) || consequences.any(|other| counts(finding, other) && fails_by(other))
        });
        let failing: HashSet<String> = failing.map(|finding| finding.fingerprint.clone()).collect();
        let names = Process::names(&report.processes);
        let mut reasons = Vec::new();
        let of_findings = usize::from(!failing.is_empty());
        if !failing.is_empty() {
            reasons.push(format!(
                "{} at or above `--fail-on {}`{}",
                counted(failing.len() as u64, "finding"),
                fail_on.text,
                if baseline.is_given() {
                    " that the baseline does not have"
                } else {
                    ""
                },
            ));
        }
        let leaked = proven(report.leaks.bytes, report.leaks.estimate);
        if let Some(most) = budget.leak.filter(|most| leaked > *most) {
            let (leaked, most) = in_bytes(leaked, most);
            reasons.push(format!("{leaked} leaked, `--max-leak` allows {most}"));
        }
        let devices = report.metrics.devices.iter();
        let peaks = devices.map(|device| (proven(device.peak_bytes, device.peak_estimate), device));
        let highest = peaks.max_by_key(|(peak, _)| *peak);
        if let (Some(most), Some((peak, highest))) = (budget.peak, highest)
            && peak > most
        {
            let (peak, most) = in_bytes(peak, most);
            reasons.push(format!(
                "process {} had {peak} live on device {}, `--max-peak` allows {most}",
                names[highest.process], highest.device,
            ));
        }
        let mut unused_categories = Vec::new();
        for (name, most) in &budget.category_peaks {
            let uses = report.annotations.categories.iter();
            let uses = uses.filter(|one| one.name == *name);
            let Some(highest) = uses.max_by_key(|one| one.peak_bytes) else {
                unused_categories.push((*name).to_owned());
                continue;
            };
            // What it allocated in all is not known.
            let allocated = highest.peak_bytes.saturating_mul(RENEWED);
            let peak = proven_peak(report, highest.peak_bytes, allocated);
            if peak > *most {
                let (peak, most) = in_bytes(peak, *most);
                reasons.push(format!(
                    "process {} had {peak} of `{name}` live, `max_peak` allows {most}",
                    names[highest.process],
                ));
            }
        }
        let classes = report.fragmentation.classes.iter();
        let worst = classes.max_by(|a, b| a.peak.index.total_cmp(&b.peak.index));
        if let (Some(most), Some(worst)) = (budget.fragmentation, worst)
            && worst.peak.index > most
        {
            let (share, most) = in_percent(worst.peak.index, most);
            reasons.push(format!(
                "device {} of process {} was {share} fragmented at its peak ({} pages), `--max-frag` allows {most}",
                worst.device, names[worst.process], worst.page,
            ));
        }
        for site in &budget.sites {
            site.reasons(report, &names, &mut reasons);
        }
        let unmatched = budget.sites.iter().filter(|site| site.is_unmatched(report));
        Self {
            apart: reasons[of_findings..].to_vec(),
            unmatched: unmatched.map(|site| site.text.clone()).collect(),
            unused_categories,
            reasons,
            failing,
            is_unobserved: false,
        }
    }

    /// Fails a run that was not observed, which must not look clean.
    pub fn unobserved(self, why: String) -> Self {
        Self {
            is_unobserved: true,
            ..self.failed_because(why)
        }
    }

    /// Fails a run parts of which were not recorded: what happened there is unknown.
    pub fn with_losses(mut self, report: &Report) -> Self {
        let own = &report.own;
        if own.dropped_events > 0 {
            let events = counted(own.dropped_events, "event");
            self = self.failed_because(format!(
                "{events} could not be recorded, so what happened then was not judged: give the log more room"
            ));
        }
        let lost = own.damage.iter().map(|cut| cut.lost_bytes);
        let lost = lost.fold(0, u64::saturating_add);
        if lost > 0 {
            let bytes = counted(lost, "byte");
            self = self.failed_because(format!(
                "{bytes} of the logs are damaged, so what happened then was not judged"
            ));
        }
        self
    }

    /// Fails a run in which a process crashed: whatever it did later was not observed.
    pub fn with_crashes(mut self, report: &Report) -> Self {
        let names = Process::names(&report.processes);
        for (process, name) in report.processes.iter().zip(&names) {
            if let Some(death) = &process.end.death
                && CRASHES.contains(&&*death.name)
            {
                let signal = &death.name;
                self = self.failed_because(format!(
                    "process {name} crashed with `{signal}`: `--allow-crash` accepts that"
                ));
            }
        }
        self
    }

    /// Adds a reason.
    pub fn failed_because(mut self, reason: String) -> Self {
        self.apart.push(reason.clone());
        self.reasons.push(reason);
        self
    }

    /// Whether the run passes.
    pub fn has_passed(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Whether it fails by what was observed.
    pub fn has_failed(&self) -> bool {
        self.reasons.len() > usize::from(self.is_unobserved)
    }
}
