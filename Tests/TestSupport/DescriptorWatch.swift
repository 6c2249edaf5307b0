import Glibc
import Synchronization

/// A thread that opens and closes a file over and over, to find out whether somebody else closes its descriptors.
///
/// Where something is closed twice, the second time hits whatever got the same number in between.
package final class DescriptorWatch: Sendable {
  private let core = Core()

  private final class Core: Sendable {
    let isStopped = Atomic(false)
    let rounds = Atomic(0)
    let losses = Atomic(0)
  }

  package init() throws {
    let context = Unmanaged.passRetained(core)
    var thread = pthread_t()
    let status = pthread_create(&thread, nil, Self.watch, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw FileFault(call: "pthread_create", path: "", code: status)
    }
    pthread_detach(thread)
  }

  deinit {
    core.isStopped.store(true, ordering: .relaxed)
  }

  /// How often it opened a file so far.
  package var rounds: Int { core.rounds.load(ordering: .relaxed) }

  /// How often its file was closed by somebody else.
  package var losses: Int { core.losses.load(ordering: .relaxed) }

  private static let watch: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    let core = Unmanaged<Core>.fromOpaque(context).takeRetainedValue()
    while !core.isStopped.load(ordering: .relaxed) {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      sched_yield()
      if descriptor >= 0, close(descriptor) != 0 { core.losses.add(1, ordering: .relaxed) }
      core.rounds.add(1, ordering: .relaxed)
    }
    return nil
  }
}
