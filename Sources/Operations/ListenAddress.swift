import CMicroHTTPD
import Glibc

/// Where to listen, as an option says it: `ADDR:PORT` or `none`.
package enum ListenOption: Sendable, Equatable {
  case none
  case address(ListenAddress)

  package init(_ text: String) throws(ListenFault) {
    self = text == "none" ? .none : .address(try ListenAddress(text))
  }
}

/// An address and a port.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
  /// The port is the one that Prometheus' list of exporters has for those without one of their own.
  package static let standard = ListenAddress(host: .loopback4, port: 9464)

  enum Host: Sendable, Equatable {
    case loopback4
    /// In dots, or with colons but without brackets.
    case ipv4(String)
    case ipv6(String)
    /// All addresses of the machine, IPv4 and IPv6.
    case any
  }

  let host: Host
  let port: UInt16

  private init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// - Parameter text: an address and a port: `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464`, or `*:9464` for all
  ///   addresses. The system chooses the port when it is 0. Names are not looked up: what they mean can change.
  package init(_ text: String) throws(ListenFault) {
    let example = "write ADDRESS:PORT, such as 127.0.0.1:9464, [::1]:9464 or *:9464, or none"
    guard let colon = text.lastIndex(of: ":"), !text[text.index(after: colon)...].isEmpty else {
      throw ListenFault("\"\(text)\" has no port; \(example)")
    }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw ListenFault("\"\(digits)\" is no port, which is a number from 0 to 65535; \(example)")
    }
    let name = String(text[..<colon])
    guard let host = Host(name) else {
      throw ListenFault("\"\(name)\" is no IP address, localhost or *; \(example)")
    }
    self.init(host: host, port: port)
  }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool {
    switch host {
    case .loopback4: true
    case .ipv4(let text): text.hasPrefix("127.")
    case .ipv6(let text): text == "::1"
    case .any: false
    }
  }

  func with(port: UInt16) -> ListenAddress { ListenAddress(host: host, port: port) }

  /// The form that the option has.
  package var description: String {
    switch host {
    case .loopback4: "127.0.0.1:\(port)"
    case .ipv4(let text): "\(text):\(port)"
    case .ipv6(let text): "[\(text)]:\(port)"
    case .any: "*:\(port)"
    }
  }
}

extension ListenAddress.Host {
  /// nil for what is no address.
  fileprivate init?(_ text: String) {
    var bytes = in6_addr()
    if text == "*" {
      self = .any
    } else if text == "localhost" {
      self = .loopback4
    } else if inet_pton(AF_INET, text, &bytes) == 1 {
      self = .ipv4(text)
    } else if text.hasPrefix("["), text.hasSuffix("]"),
      inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &bytes) == 1
    {
      // One form for each address: ::1 has many.
      var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_ntop(AF_INET6, &bytes, &buffer, socklen_t(buffer.count)) != nil else { return nil }
      self = .ipv6(String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    } else {
      return nil
    }
  }
}

/// Why the endpoint cannot be started.
package struct ListenFault: Error, Equatable {
  /// A sentence for people, lower case, without a full stop.
  package let message: String
  /// Somebody else listens there already.
  package let isAddressInUse: Bool

  init(_ message: String, isAddressInUse: Bool = false) {
    self.message = message
    self.isAddressInUse = isAddressInUse
  }
}
