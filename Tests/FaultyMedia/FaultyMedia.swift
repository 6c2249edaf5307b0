import Glibc
import Media
import MediaChannel
import Preparation

/// `enclosure-media` as it behaves on a bad day: a source that starts or ends with `FAULT` and a word gets that fault,
/// all others are served as usual.
@main
struct FaultyMedia {
  static func main() throws {
    guard let socket = HelperProcess.socket() else { exit(EX_USAGE) }
    try serveRequests(on: socket) { request, files in
      if let file = files.first { commitFault(named: fault(askedForBy: file), on: file) }
      return answer(request, descriptors: files.map(\.descriptor))
    }
  }

  private static func fault(askedForBy file: OpenFile) -> String {
    let end = lseek(file.descriptor, 0, SEEK_END)
    lseek(file.descriptor, 0, SEEK_SET)
    let beginning = words(of: file, at: 0, bytes: 64)
    if beginning.first == "FAULT" { return beginning.dropFirst().first ?? "" }
    let ending = words(of: file, at: max(0, end - 64), bytes: 64)
    return ending.dropLast().last == "FAULT" ? ending[ending.count - 1] : ""
  }

  private static func words(of file: OpenFile, at offset: Int, bytes: Int) -> [String] {
    var bytes = [UInt8](repeating: 0, count: bytes)
    let count = pread(file.descriptor, &bytes, bytes.count, off_t(offset))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isWhitespace).map(
      String.init)
  }

  private static func commitFault(named fault: String, on file: OpenFile) {
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
    case "grow":
      // As another program would write to it meanwhile. What the file ends with then is no fault any more.
      let writing = open("/proc/self/fd/\(file.descriptor)", O_WRONLY | O_APPEND | O_CLOEXEC)
      if write(writing, "n", 1) != 1 { exit(6) }
      close(writing)
    default: break
    }
  }
}
