import FoundationEssentials
import Pipeline
import RichPush

/// Something that happened, for whoever runs this: a sentence on a terminal, elsewhere one JSON object on a line.
enum LogEvent: Sendable {
  case rejected(Rejection)
  /// What a decoder wrote last may hold anything, also what a stranger's file put into its mouth.
  case helperLost(Rejection.Reason, lastWords: String)
  /// No source is to blame.
  case helperLostIdle(String)
  case helperNotStarted(String)
  /// A phone would pass over something in the notification, or something had to be left out of it.
  case payloadDoubtful(String)
  /// The cache does without something; the jobs do not suffer.
  case cacheImpaired(String)
  case interrupted(String)
  case worker(WorkerEvent)
  /// The worker has begun, with this queue and store.
  case serving(String)
  /// The queue is not as the settings say.
  case queueDiffers(String)
  /// A job that was to be added is in the queue already, or ended not long ago.
  case jobKnown(id: String)
  /// A document that was to be added is no job.
  case jobWrong(place: String, String)
  /// The endpoint has begun, at this address.
  case listening(String)
  /// The endpoint does without something that somebody may expect.
  case endpointLimited(String)
  /// A variable is taken for no setting, but looks like one.
  case variableUnknown(UnknownVariable)
  case failed(command: String, String)
  /// Nobody read the log for long.
  case logLinesLost(Int)

  /// For a terminal, without a line's end.
  var text: String {
    switch self {
    case .rejected(let rejection):
      return "rejected \(rejection.source): \(rejection.reason.message) [\(rejection.reason.code.rawValue)]"
    case .helperLost(let reason, let words):
      let end = words.lastIndex { !$0.isNewline }.map(words.index(after:)) ?? words.startIndex
      return "helper lost: \(reason.message)" + (end == words.startIndex ? "" : "; its last words: \(words[..<end])")
    case .helperLostIdle(let message): return "helper lost: \(message)"
    case .payloadDoubtful(let message): return "payload: \(message)"
    case .helperNotStarted(let message), .cacheImpaired(let message), .interrupted(let message),
      .serving(let message), .queueDiffers(let message), .listening(let message), .endpointLimited(let message):
      return message
    case .worker(let event): return event.text
    case .jobKnown(let id):
      return "\(id) was added before; nothing was changed; enclosure queue status ID tells what became of it"
    case .jobWrong(let place, let why): return "\(place): \(why)"
    case .variableUnknown(let variable): return variable.message
    case .failed(let command, let message): return "enclosure \(command): \(message)"
    case .logLinesLost(let count):
      return "\(counted(count, "line")) of the log \(count == 1 ? "was" : "were") lost, since nobody read it"
    }
  }

  /// The object, with the time at which it is made.
  func json(at time: Date = .now) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = try? encoder.encode(Line(self, time: time.formatted(.iso8601)))
    return String(decoding: line ?? Data(), as: UTF8.self)
  }

  /// The fields that there are; those that an event does not have are left out.
  private struct Line: Encodable {
    let time: String
    let level: String
    let event: String
    let message: String
    var command: String?
    var variable: String?
    var source: String?
    var code: Rejection.Code?
    var stage: Rejection.Stage?
    var permanent: Bool?
    var lastWords: String?
    var job: WorkerEvent.JobFields?
    var dependency: WorkerEvent.Dependency?
    var count: Int?
    var seconds: Double?

    init(_ event: LogEvent, time: String) {
      self.time = time
      switch event {
      case .rejected(let rejection):
        (level, self.event, message) = ("warning", "source_rejected", rejection.reason.message)
        source = rejection.source
        take(rejection.reason)
      case .helperLost(let reason, let words):
        (level, self.event, message) = ("warning", "helper_lost", reason.message)
        lastWords = words.isEmpty ? nil : words
        take(reason)
      case .helperLostIdle(let text): (level, self.event, message) = ("warning", "helper_lost", text)
      case .helperNotStarted(let text): (level, self.event, message) = ("error", "helper_not_started", text)
      case .payloadDoubtful(let text): (level, self.event, message) = ("warning", "payload_doubtful", text)
      case .cacheImpaired(let text): (level, self.event, message) = ("warning", "cache_impaired", text)
      case .interrupted(let text): (level, self.event, message) = ("info", "interrupted", text)
      case .serving(let text): (level, self.event, message) = ("info", "worker_started", text)
      case .queueDiffers(let text): (level, self.event, message) = ("warning", "queue_differs", text)
      case .listening(let text): (level, self.event, message) = ("info", "endpoint_started", text)
      case .endpointLimited(let text): (level, self.event, message) = ("warning", "endpoint_limited", text)
      case .worker(let event):
        (level, self.event, message) = (event.level, event.name, event.text)
        job = event.job
        (dependency, count, seconds) = (event.dependency, event.count, event.seconds)
      case .jobKnown(let id):
        (level, self.event, message) = ("info", "job_known", event.text)
        source = id
      case .jobWrong(let place, let why):
        (level, self.event, message) = ("error", "job_wrong", why)
        source = place
      case .variableUnknown(let unknown):
        (level, self.event, message) = ("warning", "variable_unknown", unknown.message)
        variable = unknown.name
      case .failed(let name, let text):
        (level, self.event, message) = ("error", "failed", text)
        command = name
      case .logLinesLost(let lost):
        (level, self.event, message) = ("warning", "log_lines_lost", event.text)
        count = lost
      }
    }

    private mutating func take(_ reason: Rejection.Reason) {
      (code, stage, permanent) = (reason.code, reason.stage, reason.permanent)
    }
  }
}
