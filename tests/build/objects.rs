//! Objects of the simulator's sources. Topologies share an object unless its source, or a file that it includes, reads one of the
//! macros that they define differently.
//!
//! Profiles share them, too: an object is named by a hash of all that it is compiled from, and is beside the profiles' folders. So it is compiled
//! once, and after a change those alone that it concerns.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, process, thread};

use aclsan_glibc::{compiler, flags};

use super::{FLAGS, fail, finish, has_extension, make_folder, strict};

const HEADERS: &str = "../shim/abi/include";
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A source and macros.
type Key = (PathBuf, Vec<&'static str>);

/// The object of each source for each topology, by the topology's macros.
pub struct Objects(BTreeMap<Key, PathBuf>);

impl Objects {
    /// Compiles what the topologies need, given as their sources and macros, unless it is in `folder`.
    pub fn compile(wanted: impl Iterator<Item = Key>, folder: &Path) -> Self {
        make_folder(folder);
        let common = common_hash();
        let mut distinct = BTreeMap::<Key, PathBuf>::new();
        let mut all = BTreeMap::new();
        for (source, macros) in wanted {
            let text = with_included(&source);
            let read = (source.clone(), read_macros(&text, &macros));
            let object = distinct.entry(read.clone());
            let name = || format!("{:016x}.o", hash(&(common, &read, &text)));
            let object = object.or_insert_with(|| folder.join(name()));
            all.insert((source, macros), object.clone());
        }
        drop_old(folder, &distinct);
        let rest = Mutex::new(distinct.iter().filter(|(_, object)| !object.exists()));
        let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(((source, macros), object)) = next() {
                        compile(source, macros, object);
                    }
                });
            }
        });
        Self(all)
    }

    /// The object of a source for the topology that defines these macros.
    pub fn of(&self, source: &Path, macros: &[&'static str]) -> &Path {
        &self.0[&(source.to_owned(), macros.to_vec())]
    }
}

/// What every object depends on: the compiler and its flags, the runtime's headers, and the folder, which debug information names.
fn common_hash() -> u64 {
    let version = compiler().arg("--version").output();
    let mut headers = Vec::new();
    read_all(Path::new(HEADERS), &mut headers);
    headers.sort();
    hash(&(
        format!("{:?} {:?} {:?} {:?}", compiler(), FLAGS, strict(), flags()),
        version.map(|output| output.stdout).unwrap_or_default(),
        env::current_dir().unwrap_or_default(),
        headers,
    ))
}

/// The files below a folder, with what is in them.
fn read_all(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => read_all(&path, files),
            false => files.extend(fs::read(&path).map(|bytes| (path, bytes))),
        }
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Removes objects that are older than a week and not wanted now.
fn drop_old(folder: &Path, wanted: &BTreeMap<Key, PathBuf>) {
    let wanted: BTreeSet<_> = wanted.values().collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|known| known.modified()).ok();
        let age = modified.and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > KEPT) && !wanted.contains(&entry.path()) {
            let _ = fs::remove_file(entry.path()); // Another build may have done it.
        }
    }
}

/// Those of the macros that a source reads.
fn read_macros(text: &str, macros: &[&'static str]) -> Vec<&'static str> {
    let is_read = |definition: &&&str| {
        let name = definition.trim_start_matches("-D");
        text.contains(name.split('=').next().unwrap_or(name))
    };
    macros.iter().filter(is_read).copied().collect()
}

/// The text of a source and of all files of the simulator that it includes.
fn with_included(source: &Path) -> String {
    let mut text = String::new();
    let mut files: Vec<PathBuf> = fs::canonicalize(source).into_iter().collect();
    let mut at = 0;
    while let Some(file) = files.get(at) {
        let part = fs::read_to_string(file).unwrap_or_default();
        let included = part.lines().filter_map(|line| {
            let (name, _) = line.strip_prefix("#include \"")?.split_once('"')?;
            // Headers elsewhere are the runtime's interface, which knows nothing of topologies.
            fs::canonicalize(file.parent()?.join(name)).ok()
        });
        let included: Vec<PathBuf> = included.filter(|file| !files.contains(file)).collect();
        files.extend(included);
        text += &part;
        at += 1;
    }
    text
}

/// Under another name first: another profile may be built at the same time.
fn compile(source: &Path, macros: &[&str], object: &Path) {
    let unfinished = object.with_extension(process::id().to_string());
    let mut command = compiler();
    let is_cpp = has_extension(source, &["cpp"]);
    command
        .arg(if is_cpp { "-std=c++17" } else { "-std=gnu11" })
        .args(FLAGS)
        .args(strict())
        .args(flags())
        .args(macros)
        .arg(format!("-I{HEADERS}"));
    if is_cpp {
        // GCC 5's libstdc++ is the first that has sized ones.
        command.arg("-fno-sized-deallocation");
    }
    command.arg("-c").arg(source).arg("-o").arg(&unfinished);
    finish(command, &source.display().to_string());
    if let Err(error) = fs::rename(&unfinished, object) {
        fail(&format!("cannot write {}: {error}", object.display()));
    }
}
