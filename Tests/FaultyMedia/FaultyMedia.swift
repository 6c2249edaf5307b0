import Glibc
import Media
import MediaChannel
import Preparation

/// `enclosure-media` as it behaves on a bad day: a source that starts with `FAULT` and a word gets that fault, all
/// others are served as usual.
@main
struct FaultyMedia {
  static func main() throws {
    guard let socket = HelperProcess.socket() else { exit(EX_USAGE) }
    try serveRequests(on: socket) { request, files in
      if let file = files.first { commitFault(named: by(file)) }
      return answer(request, descriptors: files.map(\.descriptor))
    }
  }

  private static func by(_ file: OpenFile) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = pread(file.descriptor, &bytes, bytes.count, 0)
    let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return words.first == "FAULT" && words.count > 1 ? String(words[1]) : ""
  }

  private static func commitFault(named fault: String) {
    switch fault {
    case "crash":
      let words = Array("out of luck\n".utf8)
      _ = write(STDERR_FILENO, words, words.count)
      raise(SIGSEGV)
    case "mutter": _ = write(STDERR_FILENO, Array("hm\n".utf8), 3)
    case "chatter":
      let words = [UInt8](repeating: 0x21, count: 64 << 10)
      for _ in 0..<1_000 {
        if write(STDERR_FILENO, words, words.count) < 0 { exit(4) }
      }
      exit(5)
    case "exit": exit(3)
    case "kill": raise(SIGKILL)
    case "hang": while true { sleep(1) }
    case "spin": while true {}
    case "balloon":
      while true {
        guard let memory = malloc(64 << 20) else { abort() }
        memset(memory, 1, 64 << 20)
      }
    case "babble":
      let noise = [UInt8](repeating: 0x21, count: 4096)
      _ = write(HelperProcess.socketDescriptor, noise, noise.count)
      while true { sleep(1) }
    case "half":
      let header: [UInt8] = [0, 0, 1, 0, 0x7B]
      _ = write(HelperProcess.socketDescriptor, header, header.count)
      while true { sleep(1) }
    default: break
    }
  }
}
