//! The file system of the log, and the lock that tells others there that the log is being written.

use aclsan_os::{files, seccomp};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

/// Local file systems, by magic number and mount type. Locking a file on a remote one would ask a server, which may
/// never answer.
const LOCAL: [(libc::c_long, &[&str]); 5] = [
    (libc::EXT4_SUPER_MAGIC, &["ext2", "ext3", "ext4"]),
    (libc::XFS_SUPER_MAGIC, &["xfs"]),
    (libc::BTRFS_SUPER_MAGIC, &["btrfs"]),
    (libc::OVERLAYFS_SUPER_MAGIC, &["overlay"]),
    (libc::TMPFS_MAGIC, &["tmpfs"]),
];

/// Locks the file, so that other processes know that it is being written, even those that cannot see this process: in
/// other containers, or of other users. A refusal does no harm.
///
/// This kind of lock belongs to the process, so a child that outlives it does not hold it. It is released when any
/// descriptor of the file is closed here, so take it when none is left to be closed.
pub fn lock(file: &File) {
    if is_local(file) {
        set_lock(file, libc::F_RDLCK);
    }
}

/// Undoes [`lock`].
pub fn unlock(file: &File) {
    if is_local(file) {
        set_lock(file, libc::F_UNLCK);
    }
}

fn set_lock(file: &File, kind: libc::c_int) {
    let all = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    // SAFETY: a system call on a descriptor that `file` keeps open; reads a local variable.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const all) };
}

/// Whether the file is on tmpfs, where reserved blocks are in memory.
pub fn is_tmpfs(file: &File) -> bool {
    magic(file) == Some(libc::TMPFS_MAGIC)
}

/// Containers usually run under seccomp filters, and some filters kill whoever asks for the magic number. The mount
/// list has the type, but on btrfs and overlayfs not for every file's device.
fn is_local(file: &File) -> bool {
    if !seccomp::is_seccomp_active() {
        return magic(file).is_some_and(|found| LOCAL.iter().any(|&(number, _)| number == found));
    }
    let mounts = files::read("/proc/self/mountinfo").unwrap_or_default();
    let name = files::identity(file).and_then(|(device, _)| filesystem_of_mount(&mounts, device));
    name.is_some_and(|found| LOCAL.iter().any(|(_, names)| names.contains(&found)))
}

/// The type of the file system with that device, from `/proc/self/mountinfo`: `36 35 98:0 /its/root /where options -
/// type what options` (proc_pid_mountinfo(5)).
fn filesystem_of_mount(mounts: &str, device: u64) -> Option<&str> {
    let device = format!("{}:{}", libc::major(device), libc::minor(device));
    let of_device = |line: &&str| line.split(' ').nth(2) == Some(&device);
    let line = mounts.lines().find(of_device)?;
    line.split_once(" - ")?.1.split(' ').next()
}

/// The magic number of the file system.
fn magic(file: &File) -> Option<libc::c_long> {
    let mut facts = MaybeUninit::<libc::statfs64>::uninit();
    // SAFETY: `file` keeps the descriptor open; fills a local variable on success.
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
