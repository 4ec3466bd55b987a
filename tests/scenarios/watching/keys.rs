//! Keys of `aclsan top`, and screens of other sizes.

use super::{Screen, scratch, top};
use crate::server::Server;

#[test]
fn every_key_does_what_help_says() {
    let folder = scratch("keys");
    let mut server = Server::start(&folder, "%p.aclsan");
    server.order("serve 20");
    let mut command = top(&[&folder]);
    command.current_dir(&folder);
    let mut screen = Screen::start(command);
    screen.has("LIVEv");
    for heading in ["BLOCKS", "GROWTH", "ALLOC/S", "OLDEST", "LARGEST", "LIVE"] {
        screen.press("s");
        screen.has(&format!(" {heading}v "));
    }
    screen.press("r");
    screen.has(" LIVE^ ");
    screen.press("r");
    let folds = [
        "FUNCTION", "FILE", "MODULE", "THREAD", "EPOCH", "FAMILY", "POOL", "DEVICE", "PROCESS",
        "SITE",
    ];
    for fold in folds {
        screen.press("f");
        screen.has(fold);
    }
    for (key, file) in [("f", "folded"), ("p", "pb.gz"), ("h", "html")] {
        screen.press("e");
        screen.has("export as: ");
        screen.press(key);
        let file = format!("aclsan-top-1.{file}");
        screen.has(&format!("wrote `{file}`"));
        assert!(folder.join(file).metadata().expect("a file").len() > 0);
    }
    // Threads, too, are compared with the moment that was marked.
    screen.press("m");
    screen.has("marked");
    server.order("serve 3");
    screen.press("dffff");
    let changed = screen.until(|text| text.contains("+6 ") && text.contains("THREAD"));
    assert!(changed.contains("+3.19M"), "{changed}");
    server.end("quit");
    let over = screen.has("program: has exited");
    assert!(!over.contains("allocations"), "{over}");
    screen.leave();
}

#[test]
fn narrow_screens_fold_lines_and_show_whole_numbers() {
    let folder = scratch("narrow");
    let mut server = Server::start(&folder, "%p.aclsan");
    server.order("serve 20");
    let mut screen = Screen::start(top(&[&folder]));
    screen.has("20.0M");
    screen.resize(60, 20);
    let narrow = screen.has("h help s f / m d e Tab Enter q quit");
    assert!(narrow.contains("LARGEST SITE"), "{narrow}");
    screen.press("h");
    let help = screen.has("GROWTH is what is added");
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let folded = "          epoch, family, pool, device, process";
    assert!(lines.contains(&folded), "{help}");
    screen.press("\x1b");
    screen.resize(40, 12);
    let narrow = screen.has("  LIVEv  BLOCKS   GROWTH SITE");
    assert!(narrow.contains("  20.0M      20"), "{narrow}");
    server.end("quit");
    screen.leave();
}
