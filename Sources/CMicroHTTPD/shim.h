// libmicrohttpd's variadic functions, with one fixed signature for each use.
#ifndef ENCLOSURE_CMICROHTTPD_SHIM_H
#define ENCLOSURE_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
// What the loop around libmicrohttpd waits with, and accepts with; Swift's Glibc module leaves them out.
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Starts a daemon without a thread and without a socket of its own: the caller adds connections and runs it.
/// All callbacks get `context`. Returns NULL where that fails.
static inline struct MHD_Daemon *_Nullable enclosure_http_start(
    unsigned int connections, unsigned int idle_seconds, MHD_AccessHandlerCallback _Nonnull handle,
    void *_Nullable (*_Nonnull begin)(void *_Nullable, const char *_Nullable, struct MHD_Connection *_Nullable),
    MHD_RequestCompletedCallback _Nonnull end, MHD_NotifyConnectionCallback _Nonnull notify, void *_Nonnull context) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, context,
      MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, begin, context, MHD_OPTION_NOTIFY_COMPLETED, end,
      context, MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_END);
}

/// What becomes readable when the daemon has something to do; -1 where there is none.
static inline int enclosure_http_epoll(struct MHD_Daemon *_Nonnull daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// The connection's socket, which stays the daemon's; -1 where there is none.
static inline int enclosure_http_socket(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// <sys/socket.h> has it with _GNU_SOURCE only, which would make this module's fd_set another one than that of Glibc.
extern int accept4(int listener, struct sockaddr *_Nullable address, socklen_t *_Nullable length, int flags);

/// Accepts a connection: not blocking, and not inherited by the media plane.
static inline int enclosure_http_accept(
    int listener, struct sockaddr *_Nonnull address, socklen_t *_Nonnull length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#endif
