//! The names each topology exports, and the calls that a preloaded definition sees.

use crate::building::{
    TOPOLOGIES, build, compile, compiler, holds, launch, programs, scratch, succeed,
};

#[test]
fn each_topology_exports_its_own_names() {
    holds("doors");
    let executable = build("doors");
    let expected = [
        "libascendcl.so: aclrtMalloc aclAppLog rtDvppMalloc\nlibacl_rt.so: absent\n\
         libacl_rt_impl.so: absent\nlibruntime.so:\nlibacl_dvpp.so:\n",
        "libascendcl.so: aclrtMalloc aclAppLog\nlibacl_rt.so: aclrtMalloc aclAppLog\n\
         libacl_rt_impl.so: aclrtMallocImpl\nlibruntime.so: rtMalloc rtDvppMalloc\nlibacl_dvpp.so:\n",
        "libascendcl.so: aclrtMalloc aclAppLog\nlibacl_rt.so: aclrtMalloc aclAppLog\n\
         libacl_rt_impl.so: aclrtMallocImpl\nlibruntime.so: aclrtMallocImpl rtMalloc rtDvppMalloc\nlibacl_dvpp.so:\n",
    ];
    for (topology, expected) in TOPOLOGIES.into_iter().zip(expected) {
        let output = succeed(&mut launch(&executable, topology, ""));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{topology}"
        );
    }
}

/// The calls of one program that a preloaded definition of `witnessed` sees.
fn witnessed(program: &str, topology: &str, witnessed: &str) -> String {
    let mut command = compiler();
    command
        .args(["-shared", "-fPIC"])
        .arg(format!("-DWITNESSED={witnessed}"));
    command
        .arg(programs().join("preload/witness.c"))
        .arg("-ldl");
    let library = compile(scratch(&format!("{witnessed}.so")), &mut command);
    let executable = build(program);
    let output = succeed(launch(&executable, topology, "").env("LD_PRELOAD", &library));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Data sheet, 1.2: which hops cross a PLT.
#[test]
fn preloaded_definitions_see_what_they_see_on_the_real_libraries() {
    assert_eq!(witnessed("linked", "lib", "aclrtMalloc"), "aclrtMalloc 2\n");
    assert_eq!(
        witnessed("linked", "lib", "aclrtMallocImpl"),
        "aclrtMallocImpl 0\n"
    );
    assert_eq!(witnessed("linked", "lib", "rtMalloc"), "rtMalloc 0\n");
    assert_eq!(
        witnessed("linked", "split/lib", "aclrtMalloc"),
        "aclrtMalloc 2\n"
    );
    assert_eq!(
        witnessed("linked", "split/lib", "aclrtMallocImpl"),
        "aclrtMallocImpl 2\n"
    );
    assert_eq!(witnessed("linked", "split/lib", "rtMalloc"), "rtMalloc 2\n");
    assert_eq!(
        witnessed("linked", "merged/lib", "aclrtMallocImpl"),
        "aclrtMallocImpl 2\n"
    );
    assert_eq!(
        witnessed("linked", "merged/lib", "rtMalloc"),
        "rtMalloc 0\n"
    );
}

/// Functions that CANN 8.1 lacks are absent from its layout and exported in all others.
#[test]
fn the_old_topology_lacks_what_its_version_lacked() {
    holds("later");
    let executable = build("later");
    let count = |topology| {
        let output = succeed(&mut launch(&executable, topology, ""));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(count("old/lib"), "aclrtMalloc\n");
    for topology in TOPOLOGIES {
        assert_eq!(
            count(topology),
            "aclrtMalloc aclrtFreeWithDevSync aclFinalizeReference\n"
        );
    }
}

/// Data sheet, 1.2 and 6: `dlsym` on a handle bypasses the public name.
#[test]
fn callers_by_handle_are_seen_below_the_public_name_only() {
    assert_eq!(witnessed("doors", "lib", "aclrtMalloc"), "aclrtMalloc 0\n");
    assert_eq!(
        witnessed("doors", "split/lib", "aclrtMalloc"),
        "aclrtMalloc 0\n"
    );
}
