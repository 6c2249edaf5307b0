import Glibc
import RichPush
import TestSupport
import Testing

@Suite("Files that are no ordinary ones")
struct OddFileTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  @Test(
    "pipes, sockets, devices, and links to nowhere, in circles and to folders are rejected; a link to a file is not")
  func kinds() async throws {
    let source = bench.source
    try bench.put("image/rgb.png", as: "folder/good.png")
    #expect(mkfifo("\(source)/pipe.jpg", 0o666) == 0)
    #expect(symlink("nowhere", "\(source)/dangling.jpg") == 0)
    #expect(symlink("circle.jpg", "\(source)/circle.jpg") == 0)
    #expect(symlink("/dev/zero", "\(source)/device.jpg") == 0)
    #expect(symlink("folder", "\(source)/link-to-folder") == 0)
    #expect(symlink("..", "\(source)/link-to-above") == 0)
    #expect(symlink("folder/good.png", "\(source)/link.png") == 0)
    try makeSocket("\(source)/socket.jpg")

    let run = try await bench.batch()
    #expect(run.status == 0)
    let odd = [
      "pipe.jpg", "dangling.jpg", "circle.jpg", "device.jpg", "link-to-folder", "link-to-above", "socket.jpg",
    ]
    #expect(try bench.store.codes == Dictionary(uniqueKeysWithValues: odd.map { ($0, .fetchFailed) }))
    #expect(try bench.store.lines.count == odd.count + 2)
    #expect(try bench.store.manifest("link.png")?.status == .ready)
    #expect(try bench.store.manifest("pipe.jpg")?.rejections[0].reason.message.contains("pipe") == true)
    #expect(try await bench.store.faults() == [])
    #expect(try await bench.batch().status == 0)
  }

  @Test("any name that Linux allows makes a job of its own, and a name that others can use")
  func names() async throws {
    let picture = try #require(contentOfFile(fixture("image/one-pixel.png")))
    var names: [[UInt8]] = [
      "new\nline.png", "-dash.png", "--out", "100%25.png", "percent%2Fslash.png", "🙂.png", "e\u{301}.png", "é.png",
      "back\\slash.png", "quo\"te.png", " space .png", "tab\t.png", "\u{1B}[31mred.png", "manifests", "..png",
      "a?b#c.png",
      "\\xFF.png", String(repeating: "n", count: 251) + ".png",
    ].map { Array($0.utf8) }
    names += [[0xFF], [0xFE], Array("\u{E4}".utf8.dropLast())].map { $0 + Array(".png".utf8) }
    for name in names { try bench.folder.write(picture, toBytes: Array("source/".utf8) + name) }
    try bench.folder.write(
      picture, to: "source/" + String(repeating: "d", count: 255) + "/" + String(repeating: "é", count: 127))

    let run = try await bench.batch("--strict")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bench.store.lines.count == names.count + 1)
    #expect(try bench.store.index.count == names.count + 1)
    #expect(try bench.store.index.keys.contains("new\nline.png"))
    #expect(try bench.store.index.keys.contains("\\xFE.png"))
    #expect(try bench.store.manifests.count == names.count + 1)
    #expect(try await bench.store.faults() == [])
    #expect(
      try await bench.batch().errors.hasPrefix("\(names.count + 1) files, \(names.count + 1) of them up to date\n"))
  }

  @Test("a rejected file's name cannot play tricks on the terminal")
  func tricks() async throws {
    try bench.put(text: "no picture", as: "\u{1B}]0;owned\u{7}\nrejected: none.jpg")
    let batch = try await bench.batch()
    let prepare = try await bench.prepare(["\(bench.source)/\u{1B}]0;owned\u{7}\nrejected: none.jpg"])
    for run in [batch, prepare] {
      #expect(run.errors.contains("owned") && !run.errors.unicodeScalars.contains("\u{1B}"), "\(run.errors)")
      #expect(!run.errors.contains("\nrejected: none"))
    }
  }

  @Test("prepare takes a file by any name too")
  func preparesNames() async throws {
    let picture = try #require(contentOfFile(fixture("image/one-pixel.png")))
    let name: [UInt8] = [0x2D, 0xFF, 0x0A]
    try bench.folder.write(picture, toBytes: Array("source/".utf8) + name)
    // With -C, so that the name is all there is, and looks like an option.
    let words = ["-C", bench.source, builtProduct("enclosure"), "prepare", "--out", bench.out, "--"]
    let child = try ChildProcess(
      "/usr/bin/env", words.map { Array($0.utf8) } + [name], environment: bench.environment())
    #expect(await child.wait() == .exited(0), "\(child.errors)")
    #expect(try bench.store.manifests.count == 1)
  }

  @Test(
    "a file that grows while it is read is called that, also where it looks truncated, and is read again next time",
    arguments: [("landscape.jpg", Manifest.Status.ready), ("truncated.png", .rejected)])
  func growing(name: String, atRest: Manifest.Status) async throws {
    let picture = try #require(contentOfFile(fixture("image/\(name)")))
    try bench.folder.write(picture + Array("\nFAULT grow".utf8), to: "source/\(name)")
    _ = try await bench.batch(faulty: true)
    let reason = try #require(try bench.store.manifest(name)?.rejections.first?.reason)
    #expect(reason.code == .fetchFailed && !reason.permanent && reason.message.contains("changed while it was read"))
    _ = try await bench.batch(faulty: true)
    #expect(try bench.store.index[name]?.status == atRest)
    #expect(try bench.store.codes[name] == (atRest == .ready ? nil : .truncated))
  }

  @Test("a file that vanishes after it was found is rejected, and forgotten by the next run")
  func vanishing() async throws {
    for name in ["0.jpg", "1.jpg"] { try bench.put(text: "FAULT hang", as: name) }
    try bench.put("image/rgb.png", as: "vanishing.png")
    let child = try bench.startBatch("--helpers", "1", "--decode-timeout", "3600", faulty: true)
    // One helper means two jobs at a time: these two, in either order, and the third when one of them has ended.
    func stuck() -> pid_t? {
      bench.helpers.first { helper in ["0", "1"].contains { hasOpen(helper, "\(bench.source)/\($0).jpg") } }
    }
    #expect(await eventually { child.hasEnded || stuck() != nil })
    try bench.folder.remove("source/vanishing.png")
    for _ in 0..<2 {
      #expect(await eventually { child.hasEnded || stuck() != nil })
      guard let helper = stuck() else { break }
      kill(helper, SIGKILL)
      #expect(await eventually { runningProcess(helper) == nil })
    }
    #expect(await child.wait() == .exited(0))
    #expect(
      try bench.store.codes == ["0.jpg": .decoderCrashed, "1.jpg": .decoderCrashed, "vanishing.png": .fetchFailed])
    #expect(try await bench.batch().errors.hasPrefix("2 files"))
    #expect(try bench.store.lines.count == 2)
  }

  @Test("a folder of many levels and an endless file are no trouble")
  func extremes() async throws {
    let deep = (0..<60).map { "d\($0)" }.joined(separator: "/")
    try bench.put("image/one-pixel.png", as: "\(deep)/a.png")
    try bench.put(text: "", as: "sparse.jpg")
    // A terabyte of nothing: whoever reads it all is busy for an hour.
    #expect(truncate("\(bench.source)/sparse.jpg", 1 << 40) == 0)
    let run = try await bench.batch()
    #expect(run.status == 0)
    #expect(try bench.store.index["\(deep)/a.png"]?.status == .ready)
    #expect(try bench.store.index["sparse.jpg"]?.status == .rejected)
  }

  private func makeSocket(_ path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
  }
}
