//! The rooms of the code, top to bottom, and what each may import. CONTRIBUTING.md has them as a picture.
//!
//! A room imports only the rooms its row lists, and rows list only rooms below them. Modules inside a room have no import cycles.
//! `.ci/house` counts the same for any revision.

use crate::checkout::{File, files};
use crate::imports::{self, Imports, Module, Package};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};

/// Crates, and the folders of their root files.
const PACKAGES: &[Package] = &[
    package("aclsan", "shim"),
    package("aclsan_free", "shim/companion"),
    package("aclsan_guards", "shim/guards"),
    package("aclsan_sink", "shim/sink"),
    package("aclsan_tables", "shim/tables"),
    package("aclsan_unwind", "shim/unwind"),
    package("aclsan_options", "shim/options"),
    package("aclsan_os", "shim/os"),
    package("analyzer", "analyzer/src"),
    package("aclsan_render", "reports/render/src"),
    package("aclsan_rules", "reports/rules/src"),
    package("aclsan_allocators", "reports/allocators/src"),
    package("aclsan_chinese", "reports/chinese/src"),
    package("aclsan_dataset", "reports/dataset/src"),
    package("aclsan_fleet", "reports/fleet/src"),
    package("aclsan_log", "reports/log/src"),
    package("aclsan_frames", "reports/frames/src"),
];

const fn package(ident: &'static str, folder: &'static str) -> Package {
    Package { ident, folder }
}

/// Room | promise | what it may import, `below` for all rows below.
const ROOMS: &str = "
analyzer::commands | one file a command: its arguments, its manual, what it calls | below
analyzer::attach | brings the shim into a running process, and ends the watch | analyzer::run analyzer::io aclsan_render aclsan_rules aclsan_os
analyzer::account | who holds device memory at a moment | analyzer::report analyzer::logs analyzer::symbols analyzer::replay analyzer::io aclsan_render aclsan_rules aclsan_log
analyzer::plan | what a recorded run would have needed under other settings | analyzer::report analyzer::logs analyzer::symbols analyzer::replay analyzer::io aclsan_allocators aclsan_render aclsan_rules aclsan_log
analyzer::run | runs a program under the shim and reports afterwards; `doctor` | below
analyzer::serve | what is watched, over HTTP: metrics, health, a live page | analyzer::watch analyzer::report analyzer::policy analyzer::io aclsan_render
analyzer::top | the terminal screen of `aclsan top` | analyzer::watch analyzer::io aclsan_render
analyzer::watch | follows logs that grow: what is known of programs that still run | analyzer::report analyzer::policy analyzer::logs analyzer::symbols analyzer::replay analyzer::io aclsan_dataset aclsan_render aclsan_rules aclsan_log
analyzer::report | reads logs, replays them in parallel, resolves names, assembles one report | below
analyzer::policy | what fails a run: severities, budgets, baselines, suppressions | analyzer::logs analyzer::symbols analyzer::io aclsan_render aclsan_rules aclsan_log aclsan_options aclsan_frames
analyzer::logs | which files are meant; plain, packed and imported logs; files written whole or not at all | analyzer::symbols analyzer::io aclsan_rules aclsan_dataset aclsan_log aclsan_frames
analyzer::symbols | names for addresses | analyzer::io aclsan_render aclsan_rules aclsan_log aclsan_options aclsan_frames
analyzer::replay | a log judged again, with its numbers | aclsan_render aclsan_rules aclsan_log
analyzer::io | standard output and error, texts from users, language, ordered parallel work | aclsan_render aclsan_chinese
aclsan_render | how reports are written: models first, then the writers | aclsan_chinese aclsan_rules aclsan_log aclsan_frames
aclsan::calls | a table a family: which functions are hooked, and what each records | below
aclsan::lifecycle | start, fork, snapshot, exit, and the leak scan at the end | aclsan::heap aclsan::judge aclsan::record aclsan::runtime aclsan::state aclsan_guards aclsan_sink aclsan_tables aclsan_unwind aclsan_options aclsan_os aclsan_frames aclsan_rules aclsan_log
aclsan::heap | what every allocation, release, launch and use does, whatever its family | aclsan::judge aclsan::record aclsan::runtime aclsan::state aclsan_guards aclsan_tables aclsan_unwind aclsan_options aclsan_os aclsan_rules aclsan_log
aclsan::judge | asks the shared rules about one call; prints and counts what they find | aclsan::record aclsan::state aclsan_sink aclsan_tables aclsan_unwind aclsan_options aclsan_os aclsan_rules aclsan_log aclsan_frames
aclsan::record | one hooked call: reentrancy, its call site, its events | aclsan::runtime aclsan::state aclsan_sink aclsan_tables aclsan_unwind aclsan_options aclsan_os aclsan_rules aclsan_log
aclsan::runtime | the definitions behind our hooks, and the few that the shim calls itself | aclsan::abi aclsan::state aclsan_guards aclsan_unwind aclsan_os aclsan_rules aclsan_log
aclsan::state | what the shim keeps for this process and this thread | aclsan_chinese aclsan_guards aclsan_sink aclsan_tables aclsan_unwind aclsan_options aclsan_os aclsan_rules aclsan_log
aclsan::abi | declarations of AscendCL |
aclsan_guards | redzones, poison, quarantine and guard pages, over any device | aclsan_tables aclsan_options aclsan_os aclsan_rules aclsan_log
aclsan_sink | writes the event log so that it survives the process | aclsan_tables aclsan_os aclsan_log
aclsan_tables | what threads share without a lock: live blocks, call sites, segments | aclsan_os aclsan_rules aclsan_log
aclsan_unwind | return addresses of the calling thread, native and Python, and their modules | aclsan_os aclsan_log
aclsan_options | every option, declared once |
aclsan_free | the second library, which hears libc's `free` | aclsan_os
aclsan_os | what is asked of the kernel, libc and the loader | aclsan_log
aclsan_rules::trackers | state over many calls | aclsan_rules::judge aclsan_rules::rules aclsan_rules::evidence aclsan_rules::api aclsan_log
aclsan_rules::consequences | which findings follow from others | aclsan_rules::rules aclsan_rules::evidence aclsan_rules::api aclsan_log
aclsan_rules::judge | which rules apply to a fact | aclsan_rules::rules aclsan_rules::evidence aclsan_rules::api aclsan_log
aclsan_rules::rules | one file a rule | aclsan_rules::evidence aclsan_rules::api aclsan_log
aclsan_rules::evidence | what a rule is given, and what it says | aclsan_rules::api aclsan_log
aclsan_rules::api | what the calls are | aclsan_log
aclsan_allocators | what allocators would have reserved for the same requests |
aclsan_chinese | sentences in Chinese |
aclsan_fleet | questions about tables of many processes, in SQL |
aclsan_dataset | tables of many processes, both ends |
aclsan_log | the event log, both ends |
aclsan_frames | names of frames, and which ones a stack shows |
";

struct Room {
    path: Module,
    may_import: BTreeSet<usize>,
}

fn rooms() -> Vec<Room> {
    let rows: Vec<[&str; 3]> = ROOMS
        .trim()
        .lines()
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            <[&str; 3]>::try_from(cells).unwrap_or_else(|_| panic!("three cells: {row}"))
        })
        .collect();
    // A crate's name covers all of its rooms.
    let named = |name: &str| -> Vec<usize> {
        let inner = format!("{name}::");
        let is_meant = |row: &[&str; 3]| row[0] == name || row[0].starts_with(&inner);
        (0..rows.len()).filter(|&at| is_meant(&rows[at])).collect()
    };
    let rooms = rows.iter().enumerate().map(|(at, [name, promise, may])| {
        assert!(!promise.is_empty(), "{name} promises nothing");
        let may_import = match *may {
            "below" => (at + 1..rows.len()).collect(),
            names => names
                .split_whitespace()
                .flat_map(|name| {
                    let rooms = named(name);
                    assert!(!rooms.is_empty(), "no room `{name}`");
                    rooms
                })
                .collect(),
        };
        Room {
            path: name.split("::").map(str::to_owned).collect(),
            may_import,
        }
    });
    rooms.collect()
}

/// The row of the room that a module belongs to. A crate's root file belongs to none where its modules do.
fn room_of(rooms: &[Room], module: &Module) -> Option<usize> {
    rooms.iter().position(|room| module.starts_with(&room.path))
}

fn read() -> Imports {
    imports::read(&files(), PACKAGES)
}

#[test]
fn rows_list_only_rooms_below_them() {
    for (at, room) in rooms().iter().enumerate() {
        let upwards = room.may_import.iter().find(|&&other| other <= at);
        assert!(upwards.is_none(), "{}", room.path.join("::"));
    }
}

#[test]
fn every_module_is_in_a_room() {
    let rooms = rooms();
    let modules = read().modules;
    let outside = modules
        .iter()
        .filter(|module| module.len() > 1 && room_of(&rooms, module).is_none());
    let outside: Vec<String> = outside.map(|module| module.join("::")).collect();
    assert!(outside.is_empty(), "{outside:#?}");
    for room in &rooms {
        let path = room.path.join("::");
        assert!(modules.contains(&room.path), "{path} is not there any more");
    }
}

#[test]
fn rooms_import_only_what_their_rows_list() {
    let rooms = rooms();
    let mut wrong = BTreeSet::new();
    for (from, to) in read().edges {
        let (Some(here), Some(there)) = (room_of(&rooms, &from), room_of(&rooms, &to)) else {
            continue;
        };
        if here != there && !rooms[here].may_import.contains(&there) {
            wrong.insert(format!("{} imports {}", from.join("::"), to.join("::")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The modules of each cycle among the children of one parent. A parent may use its children, and they its declarations.
fn circles(imports: &Imports) -> Vec<Vec<Module>> {
    let mut graphs: BTreeMap<Module, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for (from, to) in &imports.edges {
        let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if let (1.., Some(a), Some(b)) = (shared, from.get(shared), to.get(shared)) {
            let parent = from[..shared].to_vec();
            graphs.entry(parent).or_default().insert((a, b));
        }
    }
    let mut circles = Vec::new();
    for (parent, edges) in &graphs {
        let graph: DiGraphMap<&str, ()> = edges.iter().copied().collect();
        for circle in tarjan_scc(&graph) {
            let child = |name: &&str| [&parent[..], &[(*name).to_owned()]].concat();
            if circle.len() > 1 {
                circles.push(circle.iter().map(child).collect());
            }
        }
    }
    circles
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let circles = circles(&read());
    let names = |circle: &Vec<Module>| -> Vec<String> {
        circle.iter().map(|module| module.join("::")).collect()
    };
    let circles: Vec<Vec<String>> = circles.iter().map(names).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

/// Modules of `stream_order`, lowest first. Each imports only those before it.
const STREAM_ORDER: [&str; 13] = [
    "epoch",
    "vector_clock",
    "shared_clock",
    "sync_var",
    "timeline",
    "timelines",
    "access",
    "access_history",
    "state",
    "access_check",
    "copies",
    "block_lifetimes",
    "detector",
];

#[test]
fn stream_order_is_layered() {
    let room: Module = ["aclsan_rules", "trackers", "stream_order"]
        .map(str::to_owned)
        .into();
    let place = |module: &Module| {
        let name = module.strip_prefix(&room[..])?.first()?;
        STREAM_ORDER.iter().position(|layer| layer == name)
    };
    let imports = read();
    for layer in STREAM_ORDER {
        let module = [&room[..], &[layer.to_owned()]].concat();
        assert!(imports.modules.contains(&module), "{layer} is gone");
    }
    let pairs = imports.edges.iter();
    let upwards: Vec<_> = pairs
        .filter(|(from, to)| matches!((place(from), place(to)), (Some(a), Some(b)) if a < b))
        .collect();
    assert!(upwards.is_empty(), "{upwards:#?}");
}

#[test]
fn no_file_is_included_by_its_path() {
    let files = files();
    let includes = files.iter().filter(|file| file.is_rust());
    let wrong: Vec<&str> = includes
        .filter(|file| file.text.contains(concat!("#[path", " = \"../")))
        .map(|file| file.name.as_str())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Prints the output of `.ci/house`.
#[test]
fn counts_of_the_house() {
    let files = files();
    let imports = imports::read(&files, PACKAGES);
    let circles = circles(&imports);
    println!(
        "crate | rooms | modules | in circles of siblings | largest circle | forbids unsafe code"
    );
    for package in PACKAGES {
        let own = |module: &&Module| module[0] == package.ident;
        let modules = imports.modules.iter().filter(own);
        let root = |file: &&File| file.name == format!("{}/lib.rs", package.folder);
        let Some(root) = files.iter().find(root) else {
            continue;
        };
        let rooms = modules.clone().filter(|module| module.len() == 2).count();
        let mine = circles.iter().filter(|circle| own(&&circle[0]));
        let forbids = root.text.contains("#![forbid(unsafe_code)]");
        println!(
            "{} | {rooms} | {} | {} | {} | {}",
            package.folder,
            modules.count(),
            mine.clone().map(Vec::len).sum::<usize>(),
            mine.map(Vec::len).max().unwrap_or(0),
            if forbids { "yes" } else { "no" },
        );
    }
    let by_path =
        |file: &&File| file.is_rust() && file.text.contains(concat!("#[path", " = \"../"));
    println!(
        "files that include others by path: {}",
        files.iter().filter(by_path).count()
    );
}
