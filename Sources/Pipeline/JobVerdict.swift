import RichPush

/// What to do with a job, once it is known what became of its sources.
enum JobVerdict: Equatable {
  /// Its manifest says it all.
  case publish
  /// What failed may pass: the attempt is spent, and the next one follows in so many seconds.
  case retry(after: Double, reason: String)
  /// Nothing was wrong with the job, but with this machine or its store.
  case setAside(WorkerEvent.Dependency, reason: String)
  /// It was tried often enough; `codes` are those of what might have passed, that of the reason first.
  case bury(reason: String, codes: [Rejection.Code])
}

/// What a verdict depends on besides the manifest.
struct Circumstances {
  /// From 1 on.
  var attempt: Int
  var attempts: Int
  /// Seconds to wait before another attempt.
  var delay: Double
  /// Seconds until the job expires; nil for never.
  var secondsLeft: Double?
  /// Whether other jobs could be stored since the last time that the store refused this one.
  var storeWorksForOthers = false
  /// Whether helpers cannot be started.
  var lacksHelpers = false
}

func verdict(on manifest: Manifest, _ circumstances: Circumstances) -> JobVerdict {
  let passing = manifest.rejections.filter { !$0.reason.permanent }
  guard let first = passing.first else { return .publish }
  if let store = passing.first(where: { $0.reason.code == .storeFailed }), !circumstances.storeWorksForOthers {
    return .setAside(.store, reason: store.reason.message)
  }
  if circumstances.lacksHelpers, let helper = passing.first(where: { $0.reason.code == .decoderCrashed }) {
    return .setAside(.helpers, reason: helper.reason.message)
  }
  let reason = first.reason.message + " [\(first.reason.code.rawValue)]"
  guard circumstances.attempt < circumstances.attempts else {
    // What there is of it is better than nothing.
    return manifest.attachments.isEmpty ? .bury(reason: reason, codes: passing.map(\.reason.code)) : .publish
  }
  // After its time nobody wants it, so this was the last attempt.
  if let left = circumstances.secondsLeft, circumstances.delay >= left { return .publish }
  return .retry(after: circumstances.delay, reason: reason)
}

extension Manifest {
  /// The manifest of a job whose sources were not even looked at.
  init(rejecting id: String, sources: [String], for reason: Rejection.Reason, preparedAt: String, payload: JSONValue?) {
    self.init(
      id: id, preparedAt: preparedAt, attachments: [],
      rejections: sources.map { Rejection(source: $0, reason: reason) },
      warnings: [], payload: payload)
  }
}
