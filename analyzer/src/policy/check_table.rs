//! The `[check]` table of `aclsan.toml`: the limits of a run, for everyone who works in a folder.
//!
//! ```toml
//! [check]
//! fail_on = "warning"
//! max_leak = 0
//! max_peak = "12GiB"
//! max_frag = 30
//! suppressions = ["ci/known.txt"]      # beside this file
//!
//! [[check.sites]]
//! place = "Cache::*"                   # function, file or module, as in suppressions
//! max_leak = "4KiB"                    # of all its call stacks together
//! max_peak = "1GiB"                    # of each of them: what they had together is not known
//! ```
//!
//! `max_peak = { activations = "4GiB", total = "12GiB" }` limits categories, and with `total` all of a device.
//!
//! A flag overrides it. An unknown key or table is an error: a misspelled budget would never be exceeded.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use toml::{Table, Value};

use crate::io::project_file;
use crate::io::suggest::nearest;
use crate::io::text_file;
use crate::policy::quantity;
use crate::policy::verdict::{CategoryPeaks, FailOn, SiteBudget};
use aclsan_frames::Pattern;
use aclsan_render::model::CATEGORIES;

const KEYS: [&str; 6] = [
    "fail_on",
    "max_leak",
    "max_peak",
    "max_frag",
    "suppressions",
    "sites",
];
const SITE_KEYS: [&str; 3] = ["place", "max_leak", "max_peak"];

/// The table's contents.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Check {
    /// Which findings fail a run.
    pub fail_on: Option<FailOn>,
    /// Most leaked bytes.
    pub max_leak: Option<u64>,
    /// Most bytes live at once, in one process on one device.
    pub max_peak: Option<u64>,
    /// Most bytes of a category live at once, in one process.
    pub category_peaks: CategoryPeaks,
    /// Most fragmentation, between 0 and 1.
    pub max_frag: Option<f64>,
    /// Suppression files.
    pub suppressions: Vec<PathBuf>,
    /// Budgets of single places.
    pub sites: Vec<SiteBudget>,
}

impl Check {
    /// Reads `[check]` from a file; empty if the default file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read, a default path is not a regular file, or an entry makes no sense; the message names it.
    pub fn read(path: &Path, is_named: bool) -> anyhow::Result<Self> {
        let text = match is_named {
            true => text_file::read(path),
            false => text_file::read_regular(path),
        };
        let text = match text {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound && !is_named => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::from_toml(&text, folder)
            .with_context(|| format!("`{}` cannot be used", path.display()))
    }

    fn from_toml(text: &str, folder: &Path) -> anyhow::Result<Self> {
        let file = project_file::parse(text)?;
        let table = match file.get("check") {
            None => return Ok(Self::default()),
            Some(Value::Table(table)) => table,
            Some(_) => bail!("`check` is a value; write a table, `[check]`"),
        };
        known(table, &KEYS, "check")?;
        let fail_on = match table.get("fail_on") {
            None => None,
            Some(value) => Some(
                words(value, "fail_on")?
                    .join(",")
                    .parse()
                    .map_err(|why: String| anyhow!("`fail_on`: {why}"))?,
            ),
        };
        let max_frag = match table.get("max_frag") {
            None => None,
            Some(value) => {
                let percent = quantity::percent(&word(value, "max_frag")?);
                Some(percent.map_err(|why| anyhow!("`max_frag`: {why}"))?)
            }
        };
        let suppressions = match table.get("suppressions") {
            None => Vec::new(),
            Some(value) => words(value, "suppressions")?,
        };
        let sites = match table.get("sites") {
            None => Vec::new(),
            Some(Value::Array(sites)) => sites.iter().map(site).collect::<Result<_, _>>()?,
            Some(_) => bail!("`sites` is a value; write tables, `[[check.sites]]`"),
        };
        let (max_peak, category_peaks) = peaks(table)?;
        Ok(Self {
            fail_on,
            max_leak: bytes(table, "max_leak")?,
            max_peak,
            category_peaks,
            max_frag,
            suppressions: suppressions.iter().map(|name| folder.join(name)).collect(),
            sites,
        })
    }
}

/// `max_peak`: bytes, or a table of bytes by category, in which `total` is all of them.
fn peaks(table: &Table) -> anyhow::Result<(Option<u64>, CategoryPeaks)> {
    let Some(Value::Table(by_category)) = table.get("max_peak") else {
        return Ok((bytes(table, "max_peak")?, Vec::new()));
    };
    let keys = [&["total"][..], &CATEGORIES].concat();
    known(by_category, &keys, "check.max_peak")?;
    let mut peaks = Vec::new();
    for name in CATEGORIES {
        let most = bytes(by_category, name)?;
        peaks.extend(most.map(|most| (name, most)));
    }
    Ok((bytes(by_category, "total")?, peaks))
}

fn site(value: &Value) -> anyhow::Result<SiteBudget> {
    let Value::Table(table) = value else {
        bail!(
            "an entry of `sites` is a {}; write a table",
            value.type_str()
        );
    };
    known(table, &SITE_KEYS, "check.sites")?;
    let text = match table.get("place") {
        Some(value) => word(value, "place")?,
        None => bail!("an entry of `sites` has no `place`: name a function, file or module"),
    };
    let budget = SiteBudget {
        place: Pattern::new(&text),
        leak: bytes(table, "max_leak")?,
        peak: bytes(table, "max_peak")?,
        text,
    };
    if budget.place.is_anything() {
        bail!(
            "`place = \"{}\"` is every place; use `max_leak` and `max_peak` of `[check]`",
            budget.text
        );
    }
    if budget.leak.is_none() && budget.peak.is_none() {
        bail!(
            "`{}` of `sites` has no budget: give `max_leak` or `max_peak`",
            budget.text
        );
    }
    Ok(budget)
}

fn known(table: &Table, keys: &[&str], name: &str) -> anyhow::Result<()> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => bail!(
            "unknown key `{key}` in `[{name}]`{} The keys are `{}`",
            did_you_mean(key, keys),
            keys.join("`, `")
        ),
    }
}

fn did_you_mean(key: &str, keys: &[&str]) -> String {
    match nearest(key, keys.iter().copied()).as_slice() {
        [] => ".".to_owned(),
        near => format!(": did you mean `{}`?", near.join("` or `")),
    }
}

fn bytes(table: &Table, key: &str) -> anyhow::Result<Option<u64>> {
    let Some(value) = table.get(key) else {
        return Ok(None);
    };
    let bytes = quantity::bytes(&word(value, key)?);
    bytes.map(Some).map_err(|why| anyhow!("`{key}`: {why}"))
}

fn words(value: &Value, key: &str) -> anyhow::Result<Vec<String>> {
    match value {
        Value::Array(items) => items.iter().map(|item| word(item, key)).collect(),
        value => Ok(vec![word(value, key)?]),
    }
}

fn word(value: &Value, key: &str) -> anyhow::Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        _ => bail!(
            "`{key}` is a {}; write a string or a number",
            value.type_str()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Check> {
        Check::from_toml(text, Path::new("ci"))
    }

    #[test]
    fn every_key_is_read() {
        let check = read(
            "[check]\nfail_on = ['warning', 'free-null']\nmax_leak = 0\nmax_peak = '1.5GiB'\nmax_frag = 30\nsuppressions = 'known.txt'\n\
             [[check.sites]]\nplace = 'Cache::*'\nmax_leak = '4K'\n",
        )
        .unwrap();
        assert_eq!(check.fail_on, "warning,free-null".parse().ok());
        assert_eq!((check.max_leak, check.max_peak), (Some(0), Some(3 << 29)));
        assert_eq!(check.max_frag, Some(0.3));
        assert_eq!(check.suppressions, [Path::new("ci/known.txt")]);
        assert_eq!(
            (check.sites[0].leak, check.sites[0].peak),
            (Some(4096), None)
        );
    }

    #[test]
    fn a_peak_may_be_one_number_or_one_by_category() {
        let check =
            read("[check]\nmax_peak = { activations = '4GiB', total = 9, weights = '1K' }\n");
        let check = check.unwrap();
        assert_eq!(check.max_peak, Some(9));
        assert_eq!(
            check.category_peaks,
            [("weights", 1024), ("activations", 4 << 30)]
        );
    }

    #[test]
    fn a_mistake_is_reported_by_its_name() {
        for (text, reported) in [
            ("check = 3", "`check` is a value"),
            ("[chekc]\nmax_leak = 0", "did you mean `[check]`?"),
            (
                "[check]\nmax_leek = 0",
                "unknown key `max_leek` in `[check]`: did you mean `max_leak`",
            ),
            (
                "[check]\nmax_leak = 'much'",
                "`max_leak`: `much` is not a size",
            ),
            ("[check]\nmax_leak = -1", "`max_leak`: `-1` is not a size"),
            (
                "[check]\nmax_frag = 300",
                "`max_frag`: `300` is not a percentage",
            ),
            ("[check]\nfail_on = 'eror'", "`fail_on`: "),
            (
                "[check]\nmax_peak = { activation = '1GiB' }",
                "unknown key `activation` in `[check.max_peak]`: did you mean `activations`",
            ),
            ("[check]\nmax_peak = true", "`max_peak` is a boolean"),
            ("[[check.sites]]\nmax_leak = 0", "has no `place`"),
            (
                "[[check.sites]]\nplace = '*'\nmax_leak = 0",
                "is every place",
            ),
            ("[[check.sites]]\nplace = 'f'", "has no budget"),
            (
                "[[check.sites]]\nplace = 'f'\nmax = 0",
                "unknown key `max` in `[check.sites]`: did you mean `max_leak` or `max_peak`",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reported), "{text}: {error}");
        }
    }

    #[test]
    fn no_file_says_nothing_unless_it_was_named() {
        let nowhere = Path::new("no/such/folder/aclsan.toml");
        assert_eq!(Check::read(nowhere, false).unwrap(), Check::default());
        assert!(Check::read(nowhere, true).is_err());
        assert_eq!(
            read("[options]\nguard = 'off'\n").unwrap(),
            Check::default()
        );
    }
}
