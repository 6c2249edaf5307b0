import CMicroHTTPD
import Glibc

/// What the endpoint's thread waits with. Used on that thread alone, save for the event descriptor.
final class OperationsPoller {
  /// The event descriptor that others write to, to end a wait.
  let wakeUp: Int32
  private let epoll: Int32
  private var events = [epoll_event](repeating: epoll_event(), count: 8)
  private var ready: [Int32] = []

  init?() {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard epoll >= 0, wakeUp >= 0, watch(wakeUp) else { return nil }
  }

  deinit {
    close(epoll)
    close(wakeUp)
  }

  /// From now on, a wait ends when the descriptor is readable.
  func watch(_ descriptor: Int32) -> Bool {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
  }

  func forget(_ descriptor: Int32) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
  }

  /// - Parameter milliseconds: nil for ever.
  func wait(milliseconds: Int?) {
    let count = epoll_wait(epoll, &events, Int32(events.count), milliseconds.map { Int32(clamping: $0) } ?? -1)
    ready = events.prefix(Int(max(count, 0))).map(\.data.fd)
    if ready.contains(wakeUp) {
      var value: eventfd_t = 0
      eventfd_read(wakeUp, &value)
    }
  }

  /// Whether the last wait found it readable.
  func isReady(_ descriptor: Int32) -> Bool { ready.contains(descriptor) }
}
