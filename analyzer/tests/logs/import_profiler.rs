//! Files of profilers as logs.

use super::story::*;

const HEADER: &str = "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\n";

/// As torch_npu's profiler writes them: times with a tab behind, and what it did not see left empty or negative.
const ROWS: &str = "\
aten::empty,2048.0,1700000000000010.500\t,1700000000000030.0\t,1700000000000040.0\t,19.5,29.5,2,20,2,0,20,0,187651,NPU:0
aten::add,0.5,1700000000000020.0\t,,,,,2.0005,20,2,,,,187651,NPU:0
cann::MatMul,4096,,1700000000000025.0\t,,,,,,,0,20,0,187651,NPU:0
aten::mul,-1024,,1700000000000021.0\t,,,,,,,0,20,0,187651,NPU:0
";

#[test]
fn rows_of_operators_become_allocations() {
    let folder = Folder::new();
    folder.file("operator_memory.csv", format!("{HEADER}{ROWS}").as_bytes());
    let said = folder.run(&["report", "--json", "operator_memory.csv"]);
    assert_eq!(
        said.err,
        "aclsan: `operator_memory.csv`: rows with a size below zero: 1; their allocation was not seen, and they were left out\n\
         aclsan: `operator_memory.csv`: a profiler's `operator_memory.csv` has no addresses, calls or streams: fragmentation, and mistakes with memory, cannot be found\n"
    );
    let json = said.json();
    let family = &json["metrics"]["families"][0];
    // MatMul's 4 MiB from the beginning to 25, 2 MiB from 10.5 to 40, 512 bytes from 20 on.
    assert_eq!(
        [
            &family["allocations"],
            &family["releases"],
            &family["peak_bytes"],
            &family["live_bytes"]
        ],
        [3, 2, 6 * 1024 * 1024 + 512, 512]
    );
    let leak = &json["leaks"]["sites"][0];
    assert_eq!(leak["allocated"]["frames"][0]["function"], "aten::add");
    assert_eq!(json["leaks"]["bytes"], 512);
}

#[test]
fn a_file_that_is_cut_off_is_read_as_far_as_it_goes() {
    let folder = Folder::new();
    let whole = format!("{HEADER}{ROWS}");
    let cut = &whole[..whole.find("cann::").unwrap() + 20];
    folder.file("a.csv", cut.as_bytes());
    let said = folder.run(&["import", "a.csv"]);
    assert_eq!((said.out.as_str(), said.code), ("a.aclsan\n", 0));
    assert!(
        said.err.contains("line 4: `cann::MatMul,4096,,1` has 4 fields where the first line has 15: is it cut off?: left out"),
        "{}",
        said.err
    );
    // In the middle, it is a mistake.
    folder.file("b.csv", format!("{HEADER}aten::add,1\n{ROWS}").as_bytes());
    let said = folder.run(&["import", "b.csv"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err
            .contains("`b.csv` line 2: `aten::add,1` has 2 fields"),
        "{}",
        said.err
    );
    assert_eq!(folder.run(&["import", "--skip-bad", "b.csv"]).code, 0);
}

#[test]
fn columns_and_values_that_are_unknown_are_named() {
    let folder = Folder::new();
    let file = "Name,Size(KB),Allocation Time(us),Tensor Id\naten::add,1,5,7\n";
    folder.file("a.csv", file.as_bytes());
    let said = folder.run(&["import", "a.csv"]);
    assert_eq!(
        said.err,
        "aclsan: `a.csv`: columns not read, as unknown: `Tensor Id`\n"
    );
    for (from, to, why) in [
        (
            ",1,5",
            ",much,5",
            "line 2, column `Size(KB)`: `much` is no size: kilobytes are",
        ),
        (
            ",1,5",
            ",1,soon",
            "line 2, column `Allocation Time(us)`: `soon` is no time: microseconds are",
        ),
    ] {
        folder.file("b.csv", file.replace(from, to).as_bytes());
        let said = folder.run(&["import", "b.csv"]);
        assert!(said.err.contains(why), "{}", said.err);
    }
}

#[test]
fn files_of_totals_are_named_for_what_they_are() {
    let folder = Folder::new();
    for file in [
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\nPTA,1,1,1,1,1,NPU:0\n",
        "Device_id,Component,Timestamp(us),Total Reserved(KB),Device\n0,HCCL,1,1,NPU:0\n",
        "+----+\n| npu-smi 25.0.rc1   Version: 25.0.rc1 |\n",
    ] {
        folder.file("a.txt", file.as_bytes());
        for command in ["import", "report"] {
            let said = folder.run(&[command, "a.txt"]);
            assert!(
                said.err.contains("`a.txt` tells totals and no allocation"),
                "{}",
                said.err
            );
            assert_ne!(said.code, 0);
        }
    }
}
