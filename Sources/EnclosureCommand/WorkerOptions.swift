import Glibc
import JobQueue
import Pipeline
import Transfer

/// What a worker's options mean.
struct WorkerOptions: Sendable {
  static let defaultFolder = "enclosure-data"
  static let defaultStore = "\(defaultFolder)/store"

  let queue: String
  let store: StoreChoice
  let files: FileAccess
  let secrets: [WebhookSecret]
  let endpoint: EndpointOptions
  private let arguments: Arguments
  private let jobs: Int?
  private let attempts: Int?
  private let lease: Int?
  private let grace: Int?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    queue = arguments.queue
    var stored = arguments
    if !arguments.has("store") { stored.values["store"] = [Array(Self.defaultStore.utf8)] }
    store = try StoreChoice(stored)
    jobs = try arguments.number("jobs", in: 1...10_000)
    attempts = try arguments.number("attempts", in: 1...1000)
    lease = try arguments.number("lease", in: 2...3600)
    grace = try arguments.number("grace", in: 0...86_400)
    var folders: [AllowedFolder] = []
    for name in arguments.values["allow-files"] ?? [] {
      let path = FilePath(bytes: name)
      do throws(FileFailure) {
        folders.append(try AllowedFolder(path))
      } catch {
        let option = arguments.given("allow-files")
        throw UsageError("\(option) \(path.description) is no folder that can be used: \(error.message)")
      }
    }
    files = .below(folders)
    secrets = try Self.secrets(arguments)
    endpoint = try EndpointOptions(arguments)
  }

  private static func secrets(_ arguments: Arguments) throws(UsageError) -> [WebhookSecret] {
    guard let file = try SecretFile("callback-secret-file", of: arguments) else { return [] }
    do throws(WebhookSecret.Malformed) {
      return try WebhookSecret.secrets(inText: file.text)
    } catch {
      throw file.fault(error.message)
    }
  }

  func checkQueue() throws(QueueFailure) { try arguments.checkQueue() }

  func openedQueue() async throws(QueueFailure) -> any JobQueue {
    try await arguments.openedQueue(creating: true)
  }

  func callbacks(over workplace: Workplace) -> WebhookSender? {
    guard !secrets.isEmpty else { return nil }
    return WebhookSender(
      client: HTTPClient(sharing: workplace.downloader), policy: workplace.addressPolicy, secrets: secrets)
  }

  func configuration(_ workplace: Workplace) -> WorkerConfiguration {
    var configuration = WorkerConfiguration()
    // A job has up to four sources, and each may take a connection and a file.
    configuration.jobs = jobs ?? min(configuration.jobs, max(8, workplace.concurrentTransfers / 4))
    configuration.attempts = attempts ?? configuration.attempts
    configuration.leaseSeconds = lease.map(Double.init) ?? configuration.leaseSeconds
    configuration.grace = grace.map(Double.init) ?? configuration.grace
    configuration.defaults = workplace.preparation
    return configuration
  }
}
