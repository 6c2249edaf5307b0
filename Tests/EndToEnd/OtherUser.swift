import Glibc
import TestSupport
import Testing

/// `enclosure` as run by a user who is nobody in particular: root may do everything.
enum OtherUser {
  static let need: Comment = "root has to be able to become nobody, and nobody to run what was built"

  static let exist: Bool = {
    guard geteuid() == 0, let child = try? start(["--version"]) else { return geteuid() != 0 }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return status == 0
  }()

  static func enclosure(_ arguments: String...) async throws -> Run {
    geteuid() == 0
      ? try await tool("/usr/bin/setpriv", prefix + arguments)
      : try await EndToEnd.enclosure(arguments.map { Array($0.utf8) })
  }

  private static let prefix = [
    "--reuid=65534", "--regid=65534", "--clear-groups", builtProduct("enclosure"),
  ]

  private static func start(_ arguments: [String]) throws -> pid_t {
    var pid = pid_t()
    let words = (["setpriv"] + prefix + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    guard posix_spawn(&pid, "/usr/bin/setpriv", &actions, nil, words, nil) == 0 else { throw CancellationError() }
    return pid
  }
}
