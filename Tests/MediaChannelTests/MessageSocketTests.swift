import Glibc
import MediaChannel
import Preparation
import RichPush
import Testing

@Suite("The socket between the planes")
struct MessageSocketTests {
  @Test("a message and its files arrive together")
  func messageWithFiles() throws {
    let (one, other) = try MessageSocket.pair()
    let file = try temporaryFile(holding: "picture")
    let request = HelperRequest.inspect(InspectRequest(enoughSeconds: 31, enoughFrames: 10))
    try one.send(request, files: [file])

    let received = try other.receive(HelperRequest.self) {}
    #expect(received.message == request)
    #expect(received.files.count == 1)
    #expect(received.files.first?.descriptor != file.descriptor)
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = pread(try #require(received.files.first).descriptor, &buffer, 16, 0)
    #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "picture")
  }

  @Test("a long message crosses in pieces")
  func longMessage() throws {
    let (one, other) = try MessageSocket.pair()
    let text = String(repeating: "é", count: 700_000)
    let sender = Sender(socket: one, text: text)
    sender.start()
    let received = try other.receive(String.self) {}
    #expect(received.message == text)
  }

  @Test("a closed end is told apart from garbage")
  func closedEnd() throws {
    var (one, other): (MessageSocket?, MessageSocket) = try MessageSocket.pair()
    #expect(one != nil)
    one = nil
    #expect(throws: MessageSocket.Failure.closed) { try other.receive(String.self) {} }
    #expect(throws: MessageSocket.Failure.unread) { try other.send("anybody there?") }
  }

  @Test("an end that is closed with a message in it is told apart from one that had read all")
  func unread() throws {
    for readsFirst in [false, true] {
      var (one, other): (MessageSocket, MessageSocket?) = try MessageSocket.pair()
      try one.send("anybody there?")
      if readsFirst { _ = try other?.receive(String.self) {} }
      other = nil
      #expect(throws: readsFirst ? MessageSocket.Failure.closed : .unread) { try one.receive(String.self) {} }
    }
  }

  @Test("a length that no message has is refused before anything is read")
  func absurdLength() throws {
    let (one, other) = try MessageSocket.pair()
    let header: [UInt8] = [255, 255, 255, 255]
    #expect(write(one.descriptor, header, header.count) == header.count)
    #expect(throws: MessageSocket.Failure.malformed("a message of 4294967295 bytes was announced")) {
      try other.receive(String.self) {}
    }
  }

  @Test("what is no JSON is malformed")
  func notJSON() throws {
    let (one, other) = try MessageSocket.pair()
    let bytes: [UInt8] = [0, 0, 0, 2, 0x7B, 0x21]
    #expect(write(one.descriptor, bytes, bytes.count) == bytes.count)
    let failure = #expect(throws: MessageSocket.Failure.self) { try other.receive(HelperReply.self) {} }
    guard case .malformed = failure else {
      Issue.record("\(String(describing: failure)) is not malformed")
      return
    }
  }

  @Test("the loop answers in order and ends with the other end")
  func loop() throws {
    var (control, helper): (MessageSocket?, MessageSocket) = try MessageSocket.pair()
    try control?.send(HelperRequest.inspect(InspectRequest(enoughSeconds: 1, enoughFrames: 1)))
    let expected = PreparedFile(type: .png, bytes: 7, steps: [])
    try control?.send(HelperRequest.verify(VerifyRequest(expected: expected)))
    shutdown(try #require(control).descriptor, Int32(SHUT_WR))
    var asked: [HelperRequest] = []
    try serveRequests(on: helper) { request, _ in
      asked.append(request)
      return HelperReply(.verified)
    }
    #expect(asked.count == 2)
    #expect(asked.last == .verify(VerifyRequest(expected: expected)))
    control = nil
  }
}

/// Sends from a thread of its own, for what does not fit into the socket's buffer.
private final class Sender: @unchecked Sendable {  // handed over whole; this thread alone uses the socket
  private let socket: MessageSocket
  private let text: String

  init(socket: MessageSocket, text: String) {
    self.socket = socket
    self.text = text
  }

  func start() {
    var thread = pthread_t()
    pthread_create(&thread, nil, runSender, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }

  fileprivate func run() {
    try? socket.send(text)
  }
}

private func runSender(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Sender>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

private func temporaryFile(holding text: String) throws -> OpenFile {
  var template = Array("/tmp/enclosure-test-XXXXXX".utf8CString)
  let file = OpenFile(adopting: mkstemp(&template))
  unlink(template)
  try #require(file.descriptor >= 0)
  let bytes = Array(text.utf8)
  try #require(write(file.descriptor, bytes, bytes.count) == bytes.count)
  return file
}
