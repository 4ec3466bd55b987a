//! Objects of the simulator's sources. Topologies share an object unless its source, or a file that it includes, reads one of the
//! macros that they define differently.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use aclsan_glibc::{compiler, flags};

use super::{FLAGS, finish, has_extension, make_folder, strict};

/// A source and macros.
type Key = (PathBuf, Vec<&'static str>);

/// The object of each source for each topology, by the topology's macros.
pub struct Objects(BTreeMap<Key, PathBuf>);

impl Objects {
    /// Compiles what the topologies need, given as their sources and macros, in `folder`.
    pub fn compile(wanted: impl Iterator<Item = Key>, folder: &Path) -> Self {
        make_folder(folder);
        let mut distinct = BTreeMap::<Key, PathBuf>::new();
        let mut all = BTreeMap::new();
        for (source, macros) in wanted {
            let read = (source.clone(), read_macros(&source, &macros));
            let number = distinct.len();
            let object = distinct.entry(read);
            let object = object.or_insert_with(|| folder.join(format!("{number}.o")));
            all.insert((source, macros), object.clone());
        }
        let rest = Mutex::new(distinct.iter());
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

/// Those of the macros that a source reads.
fn read_macros(source: &Path, macros: &[&'static str]) -> Vec<&'static str> {
    let text = with_included(source);
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

fn compile(source: &Path, macros: &[&str], object: &Path) {
    let mut command = compiler();
    let is_cpp = has_extension(source, &["cpp"]);
    command
        .arg(if is_cpp { "-std=c++17" } else { "-std=gnu11" })
        .args(FLAGS)
        .args(strict())
        .args(flags())
        .args(macros)
        .arg("-I../shim/abi/include");
    if is_cpp {
        // GCC 5's libstdc++ is the first that has sized ones.
        command.arg("-fno-sized-deallocation");
    }
    command.arg("-c").arg(source).arg("-o").arg(object);
    finish(command, &source.display().to_string());
}
