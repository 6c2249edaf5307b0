import Glibc
import Media
import MediaChannel

/// `enclosure-media`: the process that decodes and encodes for `enclosure`, one source at a time.
@main
struct EnclosureMedia {
  static func main() {
    guard let socket = HelperProcess.socket() else {
      complain(
        """
        enclosure-media is started by enclosure, which sends it work over a socket. To prepare media, run:
          enclosure prepare FILE --out DIR

        """)
      exit(EX_USAGE)
    }
    enterSandbox()
    do {
      try serveRequests(on: socket) { request, files in
        answer(request, descriptors: files.map(\.descriptor))
      }
    } catch {
      complain("enclosure-media: \(error)\n")
      exit(EX_PROTOCOL)
    }
  }
}

private func complain(_ text: String) {
  let bytes = Array(text.utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
