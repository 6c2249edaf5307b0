import CCurl
import Glibc

/// Waits for libcurl's sockets, its timer, and the mailbox. Made and used on the transfer thread alone.
final class Poller {
  /// The event descriptor that others write to, to end a wait.
  let wakeUp: Int32
  private let epoll: Int32
  /// When libcurl wants to be called though no socket is ready: milliseconds of the monotonic clock.
  private var deadline: Int?
  private var events = [epoll_event](repeating: epoll_event(), count: 256)

  init?() {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard epoll >= 0, wakeUp >= 0 else { return nil }
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: wakeUp))
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else { return nil }
  }

  deinit {
    close(epoll)
    close(wakeUp)
  }

  /// Lets `multi` tell which sockets and what time it waits for. The poller has to outlive it.
  func serve(_ multi: UnsafeMutableRawPointer) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    return enclosure_multi_setopt_callbacks(multi, watchSocket, startTimer, context) == CURLM_OK
  }

  /// Waits until there is something to do, and has libcurl do it.
  ///
  /// - Parameter seconds: how long to wait at most; nil for ever.
  /// - Returns: false when the multi handle or epoll is of no use any more.
  func round(_ multi: UnsafeMutableRawPointer, within seconds: Int?) -> Bool {
    let limit = seconds.map { Self.now + $0 * 1000 } ?? .max
    let wait = min(deadline ?? .max, limit)
    let patience = wait == .max ? -1 : Int32(clamping: max(0, wait - Self.now))
    let count = epoll_wait(epoll, &events, Int32(events.count), patience)
    guard count >= 0 || errno == EINTR else { return false }
    var running: Int32 = 0
    for event in events.prefix(Int(max(count, 0))) {
      let socket = event.data.fd
      if socket == wakeUp {
        var value: eventfd_t = 0
        eventfd_read(wakeUp, &value)
      } else if curl_multi_socket_action(multi, socket, Self.readiness(event.events), &running) != CURLM_OK {
        return false
      }
    }
    if let deadline, deadline <= Self.now {
      // libcurl sets the next one by the callback.
      self.deadline = nil
      return curl_multi_socket_action(multi, -1, 0, &running) == CURLM_OK  // CURL_SOCKET_TIMEOUT, a macro
    }
    return true
  }

  private static func readiness(_ events: UInt32) -> Int32 {
    var readiness: Int32 = 0
    if events & EPOLLIN.rawValue != 0 { readiness |= CURL_CSELECT_IN }
    if events & EPOLLOUT.rawValue != 0 { readiness |= CURL_CSELECT_OUT }
    if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness |= CURL_CSELECT_ERR }
    return readiness
  }

  /// The monotonic clock in seconds.
  static var seconds: Double { Double(now) / 1000 }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  fileprivate func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil)
      return
    }
    var interest: UInt32 = 0
    if what & CURL_POLL_IN != 0 { interest |= EPOLLIN.rawValue }
    if what & CURL_POLL_OUT != 0 { interest |= EPOLLOUT.rawValue }
    var event = epoll_event(events: interest, data: epoll_data_t(fd: socket))
    if epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0 {
      epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event)
    }
  }

  fileprivate func setTimer(_ milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : Self.now + milliseconds
  }
}

// C calls these on the transfer thread. They capture nothing: the context pointer is the poller.

private func watchSocket(
  _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
  _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return -1 }
  Unmanaged<Poller>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
  return 0
}

private func startTimer(
  _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context else { return -1 }
  Unmanaged<Poller>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
  return 0
}
