//! Many addresses looked up at once, beside `addr2line` with each of them: what one answers, the other does.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSection as _};

use super::fixture::Folder;
use crate::symbols::SearchPaths;
use crate::symbols::batch;
use crate::symbols::dwarf::Dwarf;
use crate::symbols::elf::Elf;
use crate::symbols::interner::Interner;
use crate::symbols::lookups::Lookups;
use crate::symbols::sections::Sections;

/// Functions inlined into one another behind blocks, by templates and by lambdas, in a library's headers and here.
const MARKET: &str = "\
#include <algorithm>
#include <map>
#include <string>
#include <vector>
static inline __attribute__((always_inline)) int flush(int x) { volatile int y = x; return y + 1; }
static inline __attribute__((always_inline)) int body(int x) {
    if (x > 2) { int a = flush(x); for (int i = 0; i < a; i++) { int b = flush(i); x += b; } }
    return flush(x) + x;
}
template <class T> __attribute__((noinline)) T most(std::vector<T> all) {
    std::sort(all.begin(), all.end(), [](const T &a, const T &b) { return b < a; });
    return all.empty() ? T() : all.front();
}
int unused(int x) { return body(x) * 3; }
int main(int count, char **words) {
    std::map<std::string, int> known;
    for (int at = 0; at < count; at++) known[words[at]] += body(at);
    std::vector<int> counts;
    for (auto &one : known) counts.push_back(one.second);
    return most(counts) + (int)most(std::vector<std::string>{\"a\", \"b\"}).size();
}
";

/// Compares both at about `count` addresses of a file's code, and returns how many addresses there were and how many were left to `addr2line`.
fn compare(path: &Path, count: u64) -> (usize, usize) {
    let bytes = fs::read(path).unwrap();
    let file = ElfFile64::<LittleEndian>::parse(&*bytes).unwrap();
    let text = file.section_by_name(".text").unwrap();
    let step = (text.size() / count).max(1) as usize;
    let addresses = text.address()..text.address() + text.size() + 64;
    let addresses: Vec<u64> = addresses.step_by(step).collect();
    let (elf, paths) = (Elf::open(path).unwrap(), SearchPaths::default());
    let sections = Sections::read(&elf, None).unwrap();
    let mut names = Interner::default();
    let answers = batch::frames_of(&sections.borrowed(), &addresses, &mut names, |_| {}).unwrap();
    let shared = Arc::new(sections.shared());
    let lookups = Lookups::of(shared, elf.path.clone(), paths.clone()).unwrap();
    let dwarf = Dwarf::read(&elf, None, &paths).unwrap();
    let all = dwarf.frames_of(&addresses, &mut names, |_| {});
    for ((&address, answer), found) in addresses.iter().zip(&answers).zip(all) {
        let expected = lookups.frames(address, &mut names);
        assert_eq!(found, expected, "{address:#x} of {}", path.display());
        if let Some(answer) = answer {
            assert_eq!(*answer, expected, "{address:#x} of {}", path.display());
        }
    }
    let left = answers.iter().filter(|answer| answer.is_none()).count();
    (addresses.len(), left)
}

#[test]
fn cpp_of_every_version_and_kind_of_link_is_answered_alike() {
    let folder = Folder::new();
    folder.write("market.cpp", MARKET);
    for options in [
        "-O0 -gdwarf-4",
        "-O2 -gdwarf-3",
        "-O2 -gdwarf-4",
        "-O2 -gdwarf-5",
        "-O3 -gdwarf-5 -gz=zlib",
        "-O2 -gdwarf-5 -flto",
        "-O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections",
        "-O2 -g -gno-as-loc-support",
    ] {
        let mut arguments: Vec<&str> = options.split(' ').collect();
        arguments.extend(["-o", "market", "market.cpp"]);
        folder.run("c++", &arguments);
        let (asked, left) = compare(&folder.path("market"), 5_000);
        assert!(asked > 2_000, "{options}: {asked}");
        assert_eq!(left, 0, "{options}");
    }
}

#[test]
fn units_in_split_files_are_left_to_addr2line() {
    let folder = Folder::new();
    folder.write("market.cpp", MARKET);
    let options = ["-O2", "-g", "-gsplit-dwarf", "-o", "market", "market.cpp"];
    folder.run("c++", &options);
    let (asked, left) = compare(&folder.path("market"), 1_000);
    assert!(left > asked / 2, "{left} of {asked}");
}

#[test]
fn rust_of_many_units_is_answered_alike() {
    let (asked, left) = compare(&env::current_exe().unwrap(), 3_000);
    assert!(asked > 2_900);
    assert_eq!(left, 0);
}
