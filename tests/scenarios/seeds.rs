//! The `tests/fuzz` seeds for the parts of the shim that parse foreign data. They run inside the program under
//! test, so a seed may only produce a result. The other seeds are in `analyzer/tests/logs/seeds.rs`.

use std::fs;
use std::path::Path;

use aclsan_fuzz_inputs::image;
use aclsan_options::Options;
use aclsan_sink::path;
use aclsan_unwind::eh_frame;

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let list = fs::read_dir(folder.join(target)).expect("seeds");
    let read = |entry: std::io::Result<fs::DirEntry>| fs::read(entry.expect("a seed").path());
    let seeds: Vec<_> = list.map(|entry| read(entry).expect("readable")).collect();
    assert!(seeds.len() >= 10, "{target}");
    seeds
}

#[test]
fn every_string_of_options_is_read() {
    for seed in seeds("options") {
        let text = String::from_utf8_lossy(&seed);
        let (options, wrong) = Options::parse(&text);
        path::expand(&options.log_path);
        assert!(
            wrong.iter().all(|sentence| sentence.contains('`')),
            "{text}"
        );
    }
}

#[test]
fn every_unwind_table_gives_a_rule_or_none() {
    for seed in seeds("unwind") {
        let Some((&header, memory)) = seed.split_first() else {
            continue;
        };
        let module = image::Image {
            bytes: memory,
            eh_frame_hdr: Some(&memory[..memory.len().min(usize::from(header) * 16)]),
        };
        let base = memory.as_ptr() as u64;
        for pc in [0, base, base + 0x40, base + 0x1000, base - 0x1000, u64::MAX] {
            let rule = eh_frame::rule(&module, pc);
            assert_eq!(rule.pack().unpack(), rule);
        }
    }
}
