use super::*;

/// A simulator of one library, and a folder for installations.
fn scratch(name: &str) -> (PathBuf, Simulator) {
    let folder = env::temp_dir().join(format!("aclsan-toolkit-{name}-{}", std::process::id()));
    let simulator = Simulator {
        folder: folder.join("sim"),
    };
    for topology in [Topology::One, Topology::Split] {
        let libraries = simulator.libraries(topology);
        fs::create_dir_all(&libraries).unwrap();
        fs::write(libraries.join("libascendcl.so"), "").unwrap();
    }
    (folder, simulator)
}

#[test]
fn has_what_frameworks_look_for_and_is_made_again() {
    let (folder, simulator) = scratch("temporary");
    let user = fs::metadata("/proc/self").unwrap().uid();
    let place = folder.join("made");
    let create = |user| Toolkit::owned(&place, &simulator, Topology::One, user);
    create(user).unwrap();
    let toolkit = create(user).unwrap();
    let home = place.join("cann");
    let info = fs::read_to_string(home.join("compiler/version.info")).unwrap();
    assert_eq!(info, "Version=8.3.RC1\n");
    assert!(home.join("opp").is_dir());
    assert_eq!(toolkit.libraries(), home.join("lib64"));
    assert_eq!(
        fs::read_link(home.join("lib64/libascendcl.so")).unwrap(),
        simulator.libraries(Topology::One).join("libascendcl.so")
    );
    for place in ["runtime/lib64/stub", "compiler/lib64", "devlib"] {
        assert!(home.join(place).join("libascendcl.so").is_file(), "{place}");
    }
    let stranger = create(user + 1);
    assert!(stranger.unwrap_err().to_string().contains("another user"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_home_is_refreshed_and_no_other_folder_touched() {
    let (folder, simulator) = scratch("home");
    let home = folder.join("home");
    Toolkit::at(&home, &simulator, Topology::One).unwrap();
    fs::write(home.join("notes"), "mine").unwrap();
    fs::remove_file(home.join("devlib")).unwrap();
    std::os::unix::fs::symlink("/no/such/file", home.join("lib64/libgone.so")).unwrap();
    Toolkit::at(&home, &simulator, Topology::Split).unwrap();
    assert_eq!(
        fs::read_link(home.join("lib64/libascendcl.so")).unwrap(),
        simulator.libraries(Topology::Split).join("libascendcl.so")
    );
    assert!(home.join("devlib/libascendcl.so").is_file() && home.join("notes").is_file());
    assert!(!home.join("lib64/libgone.so").is_symlink());

    let refused = |folder: &Path| {
        let error = Toolkit::at(folder, &simulator, Topology::One).unwrap_err();
        format!("{error:#}")
    };
    fs::remove_file(home.join("include")).unwrap();
    fs::create_dir(home.join("include")).unwrap();
    assert!(refused(&home).contains("include` is in the way of a link: remove it"));
    let other = folder.join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a.txt"), "").unwrap();
    assert!(refused(&other).contains("it has `a.txt`; name a new folder"));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    assert!(refused(&other.join("a.txt")).contains("cannot make a home in"));
    assert!(refused(&folder.join("a:b")).contains("search paths cannot have this name"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn its_script_quotes_and_puts_its_folders_first() {
    let toolkit = Toolkit {
        folder: PathBuf::from("/it's"),
    };
    let script = toolkit.script();
    let first = r"export LD_LIBRARY_PATH='/it'\''s/lib64'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
    assert_eq!(script.lines().next(), Some(first));
    assert!(script.contains("export NPU_HOST_LIB='/it'\\''s/runtime/lib64/stub'\n"));
}
