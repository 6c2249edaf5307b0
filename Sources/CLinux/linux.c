#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { maximum_descriptors = 4 };

union control {
  char buffer[CMSG_SPACE(maximum_descriptors * sizeof(int))];
  struct cmsghdr align;
};

int enclosure_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

int enclosure_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int enclosure_landlock_version(void) {
#ifdef SYS_landlock_create_ruleset
  enum { landlock_create_ruleset_version = 1 };
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, landlock_create_ruleset_version);
  return version > 0 ? (int)version : 0;
#else
  return 0;
#endif
}

long enclosure_send(int socket, const void *bytes, unsigned long length, const int *descriptors, int count) {
  struct iovec vector = {(void *)bytes, length};
  union control control = {{0}};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (count > 0 && count <= maximum_descriptors) {
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

long enclosure_receive(int socket, void *bytes, unsigned long length, int *descriptors, int *count) {
  struct iovec vector = {bytes, length};
  union control control = {{0}};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.buffer, .msg_controllen = sizeof control.buffer};
  *count = 0;
  long received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int arrived = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    if (arrived > maximum_descriptors) arrived = maximum_descriptors;
    memcpy(descriptors, CMSG_DATA(header), (size_t)arrived * sizeof(int));
    *count = arrived;
  }
  return received;
}

int enclosure_close_from(void *actions, int from) { return posix_spawn_file_actions_addclosefrom_np(actions, from); }

int enclosure_make_unnamed(const char *folder, unsigned mode) {
  int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  // What kernels said before 3.11, and still say for some file systems.
  if (file < 0 && errno == EISDIR) errno = EOPNOTSUPP;
  return file;
}

int enclosure_make_temporary(const char *folder, char *pattern) {
  int file = enclosure_make_unnamed(folder, 0600);
  if (file >= 0 || errno != EOPNOTSUPP) return file;
  // Not every file system can do that. Whoever is killed in the next moment leaves an empty file.
  file = mkostemp(pattern, O_CLOEXEC);
  if (file >= 0) unlink(pattern);
  return file;
}

int enclosure_locate(const char *path) {
  return open(path, O_PATH | O_CLOEXEC);
}

int enclosure_memory_file(unsigned long size) {
  int file = memfd_create("enclosure", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  if (ftruncate(file, (off_t)size) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
    return file;
  int failure = errno;
  close(file);
  errno = failure;
  return -1;
}

int enclosure_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

int enclosure_limit_arenas(int count) { return mallopt(M_ARENA_MAX, count); }

int enclosure_exit_status(int status) { return WEXITSTATUS(status); }

int enclosure_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }
