//@ env: ACLSIM_STREAM_DELAY_US=3000
// Every function of libc that takes a buffer succeeds on memory that a copy uses, as it would without protection.
#define _GNU_SOURCE
#include "protected.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static char *fresh(void) {
    MUST(aclrtSynchronizeStream(work));
    return arriving(N);
}

#define SAY(call)                                     \
    do {                                              \
        errno = 0;                                    \
        long answer = (long)(call);                   \
        printf("%s: %ld, %d\n", #call, answer, errno); \
    } while (0)

int main(void) {
    start();
    int ends[2], sockets[2];
    MUST(pipe(ends));
    MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets));
    int file = open("protected-buffers", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char plain[64] = "a line\n";
    MUST(pwrite(file, plain, 64, 0) != 64);

    SAY(write(ends[1], fresh(), 64));
    SAY(read(ends[0], fresh(), 64));
    SAY(pwrite(file, fresh(), 64, 64));
    SAY(pread(file, fresh(), 64, 0));
    struct iovec both[2] = {{plain, 8}, {fresh(), 8}};
    SAY(writev(ends[1], both, 2));
    both[1].iov_base = fresh();
    SAY(readv(ends[0], both, 2));
    both[1].iov_base = fresh();
    SAY(pwritev(file, both, 2, 128));
    both[1].iov_base = fresh();
    SAY(preadv(file, both, 2, 0));
    SAY(send(sockets[0], fresh(), 32, 0));
    SAY(recv(sockets[1], fresh(), 32, 0));
    SAY(sendto(sockets[0], fresh(), 32, 0, NULL, 0));
    SAY(recvfrom(sockets[1], fresh(), 32, 0, NULL, NULL));
    struct msghdr message = {.msg_iov = both, .msg_iovlen = 2};
    both[1].iov_base = fresh();
    SAY(sendmsg(sockets[0], &message, 0));
    both[1].iov_base = fresh();
    SAY(recvmsg(sockets[1], &message, 0));
    both[1].iov_base = fresh();
    struct mmsghdr messages[1] = {{message, 0}};
    SAY(sendmmsg(sockets[0], messages, 1, 0));
    both[1].iov_base = fresh();
    SAY(recvmmsg(sockets[1], messages, 1, 0, NULL));
    FILE *stream_of = fdopen(dup(file), "r+");
    SAY(fread(fresh(), 1, 5, stream_of));
    rewind(stream_of);
    char *large = pinned(16 * N);
    MUST(aclrtMemcpyAsync(large, 16 * N, source, 16 * N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    SAY(fwrite(large, 1, 16 * N, stream_of)); // not by way of the stream's own buffer
    rewind(stream_of);
    MUST(aclrtSynchronizeStream(work));
    MUST(aclrtMemcpyAsync(large, 16 * N, source, 16 * N, ACL_MEMCPY_DEVICE_TO_HOST, work));
    SAY(fread(large, 1, 16 * N, stream_of));
    rewind(stream_of);
    fputs("a line\n", stream_of);
    rewind(stream_of);
    SAY(fgets(fresh(), 100, stream_of) != NULL);
    MUST(aclrtSynchronizeStream(work));
    char *text = pinned(N);
    strcpy(text, "a text");
    MUST(aclrtMemcpyAsync(source, N, text, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    SAY(fputs(text, stream_of) >= 0);
    SAY(syscall(SYS_write, ends[1], fresh(), 16));
    SAY(syscall(SYS_read, ends[0], fresh(), 16));
    // Errors of the program stay errors.
    void *volatile nowhere = (void *)64;
    volatile int negative = -1;
    SAY(write(ends[1], nowhere, 16));
    SAY(readv(ends[0], both, negative));
    SAY(writev(ends[1], nowhere, 2));
    SAY(sendmsg(sockets[0], nowhere, 0));
    SAY(sendmmsg(sockets[0], nowhere, 1, 0));
    SAY(recvmsg(sockets[1], nowhere, MSG_DONTWAIT));
    message.msg_iov = nowhere;
    SAY(sendmsg(sockets[0], &message, 0));
    // A record may itself be in the memory that the copy uses.
    struct iovec *arrived = (struct iovec *)fresh();
    MUST(aclrtSynchronizeStream(work));
    arrived[0] = (struct iovec){plain, 8};
    MUST(aclrtMemcpyAsync(source, N, arrived, N, ACL_MEMCPY_HOST_TO_DEVICE, work));
    SAY(writev(ends[1], arrived, 1));
    SAY(read(-1, fresh(), 16));
    fclose(stream_of);
    unlink("protected-buffers");
    finish();
    return 0;
}
