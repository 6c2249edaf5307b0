import Glibc

/// A socket that listens, non-blocking and not inherited.
struct ListeningSocket: ~Copyable {
  let descriptor: Int32
  /// With the port that the system chose where none was named.
  let address: ListenAddress

  init(_ wanted: ListenAddress) throws(ListenFault) {
    var (storage, length, family) = wanted.socketAddress
    func fault(_ code: Int32) -> ListenFault {
      let why = String(cString: strerror(code))
      return ListenFault("nothing can listen on \(wanted): \(why)", isAddressInUse: code == EADDRINUSE)
    }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw fault(errno) }
    var one: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Connections of a process that has ended may still be around for minutes.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
    if family == AF_INET6 {
      var onlyIPv6: Int32 = wanted.host == .any ? 0 : 1
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &onlyIPv6, size)
    }
    let bound = withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard bound == 0, listen(descriptor, 128) == 0 else {
      let code = errno
      close(descriptor)
      throw fault(code)
    }
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
    }
    self.descriptor = descriptor
    // The port is at the same place for both families.
    let port = withUnsafeBytes(of: &storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    address = wanted.with(port: port)
  }

  deinit {
    close(descriptor)
  }
}

extension ListenAddress {
  /// Makes sure that somebody could listen here now. Nobody does afterwards.
  package func requireAvailable() throws(ListenFault) {
    _ = try ListeningSocket(self)
  }

  /// What `bind` takes, its length, and the family.
  fileprivate var socketAddress: (sockaddr_storage, socklen_t, Int32) {
    var storage = sockaddr_storage()
    switch host {
    case .loopback4, .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      if case .ipv4(let text) = host {
        inet_pton(AF_INET, text, &address.sin_addr)
      } else {
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      }
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
      return (storage, socklen_t(MemoryLayout<sockaddr_in>.size), AF_INET)
    case .ipv6, .any:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      if case .ipv6(let text) = host { inet_pton(AF_INET6, text, &address.sin6_addr) }
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
      return (storage, socklen_t(MemoryLayout<sockaddr_in6>.size), AF_INET6)
    }
  }
}
