import CLinux
import FoundationEssentials
import Glibc

/// One end of the socket between the planes: JSON messages, each behind its length in four bytes (big-endian), with
/// open files beside them.
///
/// It is used by one thread at a time.
package final class MessageSocket {
  /// No message comes near this; a length beyond it is garbage.
  package static let maximumLength = 16 << 20
  /// As many files as one message may carry.
  package static let maximumFiles = 4

  package enum Failure: Error, Equatable {
    /// The other end is closed.
    case closed
    /// The other end was closed before it had read all that was sent to it.
    case unread
    /// The other end sent something that is no message.
    case malformed(String)
    /// A system call failed with this `errno`.
    case system(Int32)
  }

  package let descriptor: Int32

  /// Takes the descriptor of a connected stream socket over.
  package init(adopting descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Two connected ends. Both are closed when a program is started.
  package static func pair() throws(Failure) -> (MessageSocket, MessageSocket) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .system(errno)
    }
    return (MessageSocket(adopting: ends[0]), MessageSocket(adopting: ends[1]))
  }

  /// Sends a message. The files stay the caller's; the other end gets descriptors of its own.
  package func send(_ message: some Encodable, files: [any DescriptorOwner] = []) throws(Failure) {
    let body: Data
    do {
      body = try JSONEncoder().encode(message)
    } catch {
      throw .malformed("a message cannot be encoded: \(error)")
    }
    var bytes = [UInt8]()
    bytes.reserveCapacity(4 + body.count)
    for shift in [24, 16, 8, 0] {
      bytes.append(UInt8(truncatingIfNeeded: body.count >> shift))
    }
    bytes.append(contentsOf: body)

    var descriptors = files.map(\.descriptor)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
        return enclosure_send(
          descriptor, rest.baseAddress, UInt(rest.count), descriptors, Int32(descriptors.count))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw errno == EPIPE || errno == ECONNRESET ? .unread : .system(errno)
      }
      sent += count
      descriptors = []
    }
  }

  /// Receives a message and the files beside it.
  /// - Parameter wait: called before each read, which then must not block: the place for a deadline.
  package func receive<Message: Decodable, Interruption: Error>(
    _ type: Message.Type, waitingWith wait: () throws(Interruption) -> Void
  ) throws -> (message: Message, files: [OpenFile]) {
    var files: [OpenFile] = []
    let header = try read(4, &files, wait)
    let length = header.reduce(0) { $0 << 8 | Int($1) }
    guard length <= Self.maximumLength else {
      throw Failure.malformed("a message of \(length) bytes was announced")
    }
    let body = try read(length, &files, wait)
    do {
      return (try JSONDecoder().decode(type, from: Data(body)), files)
    } catch {
      throw Failure.malformed("a message cannot be decoded: \(error)")
    }
  }

  private func read<Interruption: Error>(
    _ length: Int, _ files: inout [OpenFile], _ wait: () throws(Interruption) -> Void
  ) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: length)
    var filled = 0
    while filled < length {
      try wait()
      var descriptors: [Int32] = Array(repeating: -1, count: Self.maximumFiles)
      var arrived: Int32 = 0
      let count = bytes.withUnsafeMutableBytes { buffer in
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        return enclosure_receive(descriptor, room.baseAddress, UInt(room.count), &descriptors, &arrived)
      }
      files += descriptors.prefix(Int(arrived)).map(OpenFile.init(adopting:))
      if count < 0 {
        if errno == EINTR { continue }
        // unix(7): what was sent still lay in the other end's buffer when that was closed.
        throw errno == ECONNRESET ? Failure.unread : Failure.system(errno)
      }
      guard count > 0 else { throw Failure.closed }
      filled += count
    }
    return bytes
  }
}
