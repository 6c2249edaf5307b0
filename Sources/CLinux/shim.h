// Linux calls that Swift cannot import: variadic functions, the CMSG macros and those of a wait status.
#ifndef ENCLOSURE_CLINUX_SHIM_H
#define ENCLOSURE_CLINUX_SHIM_H
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <signal.h>
#include <spawn.h>

// glibc shows these under _GNU_SOURCE only, and Swift's own Glibc module is built without.
int mkostemp(char *_Nonnull pattern, int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *_Nonnull actions, int from);

/// Kills the calling process when the thread that started it ends.
static inline int enclosure_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

/// From now on no program that is started may have more rights than this process.
static inline int enclosure_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// Opens `path` relative to `directory` (`AT_FDCWD` for the working directory). Returns a descriptor or -1.
static inline int enclosure_openat(int directory, const char *_Nonnull path, int flags, unsigned int mode) {
  return openat(directory, path, flags, mode);
}

/// Sends `length` bytes and up to four descriptors as one message. Returns the bytes sent or -1.
static inline ssize_t enclosure_send(
    int socket, const void *_Nonnull bytes, size_t length, const int *_Nullable descriptors, int count) {
  struct iovec vector = {(void *)bytes, length};
  union { char buffer[CMSG_SPACE(4 * sizeof(int))]; struct cmsghdr align; } control;
  struct msghdr message = {0};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  if (count > 0 && count <= 4) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.buffer;
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, (size_t)count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Receives up to `length` bytes and up to four descriptors (close-on-exec, now the caller's to close); `count` says
/// how many came. Returns the bytes received, 0 at the end of the stream, or -1.
static inline ssize_t enclosure_receive(
    int socket, void *_Nonnull bytes, size_t length, int *_Nonnull descriptors, int *_Nonnull count) {
  struct iovec vector = {bytes, length};
  union { char buffer[CMSG_SPACE(4 * sizeof(int))]; struct cmsghdr align; } control;
  struct msghdr message = {0};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.buffer;
  message.msg_controllen = sizeof control.buffer;
  *count = 0;
  ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (received < 0) return received;
  for (struct cmsghdr *h = CMSG_FIRSTHDR(&message); h; h = CMSG_NXTHDR(&message, h)) {
    if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS) continue;
    int n = (int)((h->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    if (n > 4) n = 4;
    memcpy(descriptors, CMSG_DATA(h), (size_t)n * sizeof(int));
    *count = n;
  }
  return received;
}

static inline int enclosure_exited(int status) { return WIFEXITED(status); }
static inline int enclosure_exit_status(int status) { return WEXITSTATUS(status); }
static inline int enclosure_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
#endif
