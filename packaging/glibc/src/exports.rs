//! Exports of this machine's glibc libraries that the oldest supported glibc has, too.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::{FLOOR, Version, output};

/// A symbol at its newest version up to [`FLOOR`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    /// The version.
    pub version: Version,
    /// Its name.
    pub version_name: String,
    /// Bytes, if it is data.
    pub data: Option<u64>,
    /// Its address in the library: data symbols of one address are aliases.
    pub address: String,
    /// Whether it has versions newer than the floor: it changed or moved here from another library.
    pub is_renewed: bool,
}

/// The exports of the library at `path`, by name.
pub fn read(path: &Path) -> Result<BTreeMap<String, Export>, String> {
    let table = output(Command::new("readelf").args(["--dyn-syms", "-W"]).arg(path))?;
    Ok(parse(&table))
}

/// Lines of `readelf --dyn-syms -W`: number, address, size, type, binding, visibility, section, `name@version` or `name@@version`.
fn parse(table: &str) -> BTreeMap<String, Export> {
    let mut exports: BTreeMap<String, Export> = BTreeMap::new();
    let mut renewed = Vec::new();
    for line in table.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[_, address, size, kind, binding, _, section, symbol, ..] = &fields[..] else {
            continue;
        };
        let Some((name, version_name)) = symbol.split_once('@') else {
            continue;
        };
        let version_name = version_name.trim_start_matches('@');
        let Some(version) = Version::named(version_name) else {
            continue;
        };
        let is_exported =
            ["GLOBAL", "WEAK", "UNIQUE"].contains(&binding) && !["UND", "ABS"].contains(&section);
        if !is_exported || kind == "TLS" {
            continue;
        }
        if version > FLOOR {
            renewed.push(name.to_owned());
            continue;
        }
        let export = Export {
            version,
            version_name: version_name.to_owned(),
            data: (kind == "OBJECT").then(|| size.parse().unwrap_or(8)),
            address: address.to_owned(),
            is_renewed: false,
        };
        let older = exports.get(name);
        if older.is_none_or(|older| older.version < version) {
            exports.insert(name.to_owned(), export);
        }
    }
    for name in renewed {
        if let Some(export) = exports.get_mut(&name) {
            export.is_renewed = true;
        }
    }
    exports
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "
Symbol table '.dynsym' contains 3035 entries:
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     0: 0000000000000000     0 NOTYPE  LOCAL  DEFAULT  UND
     5: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND _dl_find_dso@GLIBC_PRIVATE (38)
  1034: 0000000000085550    47 FUNC    GLOBAL DEFAULT   16 dlsym@GLIBC_2.2.5
  1035: 0000000000085550    47 FUNC    GLOBAL DEFAULT   16 dlsym@@GLIBC_2.34
  1100: 00000000000a2de0    91 IFUNC   GLOBAL DEFAULT   16 memcpy@@GLIBC_2.14
  1101: 000000000009e4c0    78 IFUNC   GLOBAL DEFAULT   16 memcpy@GLIBC_2.2.5
  1200: 00000000001d9320     8 OBJECT  WEAK   DEFAULT   34 environ@@GLIBC_2.2.5
  1300: 00000000000f7e50    44 FUNC    GLOBAL DEFAULT   16 stat64@@GLIBC_2.33
  1400: 0000000000000000     0 OBJECT  GLOBAL DEFAULT  ABS GLIBC_2.2.5
  1500: 0000000000000020     4 TLS     GLOBAL DEFAULT   26 errno@@GLIBC_PRIVATE
";

    #[test]
    fn each_symbol_is_at_the_newest_version_that_the_floor_has() {
        let exports = parse(TABLE);
        let names: Vec<&str> = exports.keys().map(String::as_str).collect();
        assert_eq!(names, ["dlsym", "environ", "memcpy"]);
        assert_eq!(exports["dlsym"].version_name, "GLIBC_2.2.5");
        assert!(exports["dlsym"].is_renewed);
        assert_eq!(exports["memcpy"].version_name, "GLIBC_2.14");
        assert!(!exports["memcpy"].is_renewed);
        assert_eq!(exports["environ"].data, Some(8));
        assert_eq!(exports["memcpy"].data, None);
    }
}
