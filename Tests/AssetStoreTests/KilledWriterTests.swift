import AssetStore
import Digest
import Glibc
import TestSupport
import Testing

@Suite struct KilledWriterTests {
  @Test("a writer that is killed leaves whole files only, and manifests only of what is there", arguments: [1, 7, 40])
  func leavesWholeFiles(milliseconds: UInt32) async throws {
    let folder = try TemporaryFolder()
    let writer = try Writer(storingIn: folder.path)
    try writer.waitForFirst()
    usleep(milliseconds * 1000)
    writer.kill()

    let assets = folder.files(below: "assets")
    #expect(!assets.isEmpty)
    for asset in assets {
      let content = try #require(folder.content(asset))
      #expect(asset.contains(sha256(of: content)), "\(asset) is not whole")
    }
    for manifest in folder.files(below: "manifests") {
      let text = String(decoding: try #require(folder.content(manifest)), as: UTF8.self)
      let location = text.split(separator: "\"").dropFirst(2).first { $0.hasPrefix("assets/") }
      #expect(assets.contains(String(try #require(location, "\(manifest) is not whole: \(text)"))))
    }
    // The next one to open the store tidies up.
    _ = try await DirectoryStore(path: folder.path)
    #expect(folder.files(below: ".work").isEmpty)
  }
}

/// A bucket shows what has wholly arrived, whatever becomes of who sends it.
@Suite(.enabled(if: S3Server.isInstalled, "make setup-tests installs the servers"))
struct KilledS3WriterTests {
  @Test(
    "a writer that is killed leaves whole objects only, and manifests only of what is there", arguments: [1, 50, 300])
  func leavesWholeObjects(milliseconds: UInt32) async throws {
    let bench = try await S3Bench(.swift, prefix: "killed/")
    let key = bench.server.writer
    let writer = try Writer(
      storingIn: "s3://\(bench.server.bucket)/\(bench.prefix)",
      environment: [
        "AWS_ACCESS_KEY_ID=\(key.accessKey)", "AWS_SECRET_ACCESS_KEY=\(key.secretKey)",
        "AWS_ENDPOINT_URL=\(bench.server.endpoint)",
      ])
    try writer.waitForFirst()
    usleep(milliseconds * 1000)
    writer.kill()

    let assets = try await bench.locations(below: "assets")
    #expect(!assets.isEmpty)
    for asset in assets {
      let content = try #require(try await bench.content(asset))
      #expect(asset.contains(sha256(of: content)), "\(asset) is not whole")
    }
    for manifest in try await bench.locations(below: "manifests") {
      let text = String(decoding: try #require(try await bench.content(manifest)), as: UTF8.self)
      let location = text.split(separator: "\"").dropFirst(2).first { $0.hasPrefix("assets/") }
      #expect(assets.contains(String(try #require(location, "\(manifest) is not whole: \(text)"))))
    }
  }
}

/// The program AssetStoreWriter, running.
private final class Writer {
  private var process = pid_t()
  private let output: CInt

  /// - Parameter environment: on top of this process's.
  init(storingIn store: String, environment: [String] = []) throws {
    // It stands beside the program that runs the tests.
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &name, name.count - 1)
    let runner = String(decoding: name.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let program = runner.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/AssetStoreWriter"

    var pipe: [CInt] = [0, 0]
    try #require(Glibc.pipe(&pipe) == 0)
    // The writer must not hold the reading end, nor another test's writer this one's.
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = pipe[0]
    defer { close(pipe[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO)
    var arguments = [strdup(program), strdup(store), nil]
    var inherited: [UnsafeMutablePointer<CChar>?] = []
    while let variable = environ[inherited.count] { inherited.append(strdup(variable)) }
    var variables = environment.map { strdup($0) } + inherited + [nil]
    defer { for string in arguments + variables { free(string) } }
    let failure = posix_spawn(&process, program, &actions, nil, &arguments, &variables)
    try #require(failure == 0, "cannot start \(program): \(String(cString: strerror(failure)))")
  }

  func waitForFirst() throws {
    var byte: UInt8 = 0
    try #require(read(output, &byte, 1) == 1, "the writer ended early")
  }

  func kill() {
    _ = Glibc.kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  deinit {
    close(output)
  }
}
