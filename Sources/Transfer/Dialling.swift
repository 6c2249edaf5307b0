import CCurl
import Glibc

/// The sockets of one request: which addresses it may dial, and what became of that.
struct Dialling: Sendable {
  private let policy: AddressPolicy?
  private let host: String
  /// The proxy is the operator's choice, and need not be public.
  private let isThroughProxy: Bool
  private var dialled = false
  private var refused = false

  /// - Parameter policy: nil where everything may be dialled: what the operator names, not a stranger.
  init(policy: AddressPolicy?, host: String, isThroughProxy: Bool) {
    (self.policy, self.host, self.isThroughProxy) = (policy, host, isThroughProxy)
  }

  /// Whether all that the host's name led to was refused.
  var isBlocked: Bool { refused && !dialled }

  /// Opens the socket for an address that is about to be dialled, if it may be. libcurl connects it to just this
  /// address, or asks again for the next one that the name has.
  ///
  /// - Returns: `CURL_SOCKET_BAD` where it may not.
  mutating func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    guard permits(address) else {
      refused = true
      return -1
    }
    dialled = true
    // Close-on-exec, which libcurl leaves out: helper processes must not inherit connections.
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, type, address.pointee.protocol)
  }

  private func permits(_ dialled: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    guard !isThroughProxy, let policy else { return true }
    // The address is longer than the `sockaddr` that it is declared as.
    let start = UnsafeRawPointer(dialled) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
    let length = Int(dialled.pointee.addrlen)
    guard let address = NetworkAddress(start.assumingMemoryBound(to: sockaddr.self), length: length) else {
      return false
    }
    var hasZone = false
    if case .v6 = address { hasZone = start.loadUnaligned(as: sockaddr_in6.self).sin6_scope_id != 0 }
    return policy.permits(address, zone: hasZone, of: host)
  }
}
