//! `aclsan simulator --home`: the paths that projects look for, and a program that is built and run with nothing else.

use std::fs;
use std::path::Path;
use std::process::Command;

use aclsan_tests::artifacts;

use crate::building::succeed;

/// Below the folder, by who looks there. `ARCH` is the machine's.
const LOOKED_FOR: [(&str, &[&str]); 7] = [
    (
        "ggml: ggml/src/ggml-cann/CMakeLists.txt",
        &[
            "include/acl/acl.h",
            "include/aclnn/aclnn_base.h",
            "include/aclnnop/aclnn_argsort.h",
            "lib64/libascendcl.so",
            "lib64/libnnopbase.so",
            "lib64/libopapi.so",
            "lib64/libacl_op_compiler.so",
        ],
    ),
    (
        "OpenCV: cmake/OpenCVFindCANN.cmake",
        &[
            "acllib/lib64/libascendcl.so",
            "compiler/lib64/libgraph.so",
            "compiler/lib64/libge_compiler.so",
            "opp/built-in/op_proto/libopsproto.so",
        ],
    ),
    (
        "onnxruntime: cmake/onnxruntime_providers_cann.cmake",
        &["lib64/libfmk_onnx_parser.so", "include/acl/acl.h"],
    ),
    (
        "InfiniCore: xmake/ascend.lua",
        &[
            "lib64/libruntime.so",
            "lib64/libascend_hal.so",
            "lib64/libhccl.so",
            "include/hccl",
        ],
    ),
    (
        "Mooncake: mooncake-transfer-engine/CMakeLists.txt",
        &[
            "ARCH-linux/lib64/libascendcl.so",
            "ARCH-linux/include/acl/acl.h",
            "ARCH-linux/devlib",
        ],
    ),
    (
        "Paddle: cmake/external/ascend.cmake",
        &[
            "fwkacllib/lib64",
            "atc/lib64",
            "acllib/include/acl/acl.h",
            "fwkacllib/include",
        ],
    ),
    (
        "samples, torch_npu, aclsan doctor",
        &[
            "runtime/lib64/stub/libascendcl.so",
            "devlib/libascend_hal.so",
            "python/site-packages",
            "compiler/version.info",
            "version.cfg",
            "ascend_toolkit_install.info",
            "set_env.sh",
        ],
    ),
];

const PROGRAM: &str = "#include <acl/acl.h>
#include <stdio.h>
int main(void)
{
    void *block;
    aclError all = aclInit(NULL) | aclrtSetDevice(0) | aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST) | aclrtFree(block);
    puts(aclrtGetSocName());
    return all | aclrtResetDevice(0) | aclFinalize();
}
";

#[test]
fn projects_find_a_home_where_they_look_for_one() {
    let folder = artifacts::scratch("home");
    let home = folder.join("cann");
    let make = |topology: &str| {
        let mut command = Command::new(artifacts::command());
        command.args(["simulator", "--topology", topology, "--home"]);
        succeed(command.arg(&home)).stdout
    };
    make("split");
    let printed = String::from_utf8(make("one")).unwrap();
    assert_eq!(Path::new(printed.trim_end()), home.join("set_env.sh"));
    for (project, paths) in LOOKED_FOR {
        for path in paths {
            let path = path.replace("ARCH", std::env::consts::ARCH);
            assert!(home.join(&path).exists(), "{project} looks for {path}");
        }
    }
    let source = folder.join("where.c");
    fs::write(&source, PROGRAM).unwrap();
    for libraries in [
        "$ASCEND_HOME_PATH/lib64",
        "$NPU_HOST_LIB",
        "$ASCEND_TOOLKIT_HOME/devlib",
    ] {
        let script = format!(
            ". '{}' && cc -I$DDK_PATH/include '{}' -L{libraries} -lascendcl -o '{}' && '{}'",
            printed.trim_end(),
            source.display(),
            folder.join("where").display(),
            folder.join("where").display(),
        );
        let output = succeed(
            Command::new("sh")
                .args(["-euc", &script])
                .env_remove("LD_LIBRARY_PATH"),
        );
        assert_eq!(output.stdout, b"Ascend910B3\n", "{libraries}");
    }
}
