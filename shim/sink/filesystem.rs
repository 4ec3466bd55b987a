//! The file system that a log is on, and the lock that tells others there that it is being written.

use aclsan_os::{files, seccomp};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

/// Those of this machine alone, by number and by the names that they are mounted under: to lock a file of another's is to ask a server, which
/// may never answer.
const LOCAL: [(libc::c_long, &[&str]); 5] = [
    (libc::EXT4_SUPER_MAGIC, &["ext2", "ext3", "ext4"]),
    (libc::XFS_SUPER_MAGIC, &["xfs"]),
    (libc::BTRFS_SUPER_MAGIC, &["btrfs"]),
    (libc::OVERLAYFS_SUPER_MAGIC, &["overlay"]),
    (libc::TMPFS_MAGIC, &["tmpfs"]),
];

/// Tells other processes that this one writes the file, those too that cannot see it: in other containers, of other users. What is refused
/// is not missed.
///
/// Of the kinds of locks this is the one that is the process's own: a child that outlives it has none. It is gone when any descriptor of the
/// file is closed here, so that it is taken when none is left to be closed.
pub fn lock(file: &File) {
    if !is_local(file) {
        return;
    }
    let all = libc::flock {
        l_type: libc::F_RDLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    // SAFETY: a plain system call on a descriptor that `file` keeps open; reads our own variable.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const all) };
}

/// Whether the file is on tmpfs, where what is set aside is in memory.
pub fn is_tmpfs(file: &File) -> bool {
    magic(file) == Some(libc::TMPFS_MAGIC)
}

/// Containers run under filters of system calls as a rule, and some filters end who asks for the number: the list of mounts has the name, but
/// not of every file's device on btrfs and overlays.
fn is_local(file: &File) -> bool {
    if !seccomp::is_seccomp_active() {
        return magic(file).is_some_and(|found| LOCAL.iter().any(|&(number, _)| number == found));
    }
    let mounts = files::read("/proc/self/mountinfo").unwrap_or_default();
    let name = files::identity(file).and_then(|(device, _)| filesystem_of_mount(&mounts, device));
    name.is_some_and(|found| LOCAL.iter().any(|(_, names)| names.contains(&found)))
}

/// The kind of the file system with that device, by `/proc/self/mountinfo`: `36 35 98:0 /its/root /where options - kind what options`
/// (proc_pid_mountinfo(5)).
fn filesystem_of_mount(mounts: &str, device: u64) -> Option<&str> {
    let device = format!("{}:{}", libc::major(device), libc::minor(device));
    let of_device = |line: &&str| line.split(' ').nth(2) == Some(&device);
    let line = mounts.lines().find(of_device)?;
    line.split_once(" - ")?.1.split(' ').next()
}

/// The number of the file system's kind.
fn magic(file: &File) -> Option<libc::c_long> {
    let mut facts = MaybeUninit::<libc::statfs64>::uninit();
    // SAFETY: a descriptor that `file` keeps open; fills our own variable on success.
    if unsafe { libc::fstatfs64(file.as_raw_fd(), facts.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: filled above.
    Some(unsafe { facts.assume_init() }.f_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_found_by_its_device() {
        let mounts = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
                      90 22 0:45 / /net rw - nfs4 host:/a rw\n\
                      91 22 259:70000 /sub /b\\040c rw master:2 shared:3 - xfs /dev/x rw\nshort\n";
        let kind = |major, minor| filesystem_of_mount(mounts, libc::makedev(major, minor));
        assert_eq!(kind(8, 1), Some("ext4"));
        assert_eq!(kind(0, 45), Some("nfs4"));
        assert_eq!(kind(259, 70_000), Some("xfs"));
        assert_eq!(kind(8, 2), None);
    }
}
