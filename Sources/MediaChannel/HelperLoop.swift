package import Preparation
import RichPush

/// Answers requests, one after the other, until the other end is closed.
/// - Throws: `MessageSocket.Failure` when the other end sends what it never should; the helper is of no use then.
package func serveRequests(
  on socket: MessageSocket, answer: (HelperRequest, [OpenFile]) -> HelperReply
) throws {
  while true {
    let request: (message: HelperRequest, files: [OpenFile])
    do {
      request = try socket.receive(HelperRequest.self) {}
    } catch MessageSocket.Failure.closed, MessageSocket.Failure.unread {
      return
    }
    try socket.send(answer(request.message, request.files))
  }
}
