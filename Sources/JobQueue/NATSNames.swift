import PercentEncoding

/// The streams and subjects of one queue.
///
/// A job waits in the stream STREAM as `STREAM.jobs.<id>`; its result is `STREAM.results.<id>`, its dead letter
/// `STREAM.dead.<id>`. Ids are percent-encoded, so that each is one part of a subject.
struct NATSNames: Sendable {
  let stream: String

  var results: String { stream + "_results" }
  var dead: String { stream + "_dead" }
  var waiting: String { stream + "_waiting" }
  var endings: String { stream + "_endings" }
  var consumer: String { "workers" }

  func job(_ id: String) -> String { "\(stream).jobs.\(Self.encoded(id))" }
  func result(_ id: String) -> String { "\(stream).results.\(Self.encoded(id))" }
  func letter(_ id: String) -> String { "\(stream).dead.\(Self.encoded(id))" }
  /// How the last lease of a job ended that has ended.
  /// - Parameter job: the sequence number of the job's message, which no other job has, nor this one when it is added
  ///   again.
  func ending(_ job: UInt64) -> String { "\(stream).endings.\(job)" }
  /// How the first lease of a job ended, unless it completed the job.
  func firstEnding(_ job: UInt64) -> String { "\(stream).attempts.\(job).1" }
  /// Notes that a job was given back, and from when on it may be handed out again, in milliseconds since 1970.
  func note(_ job: UInt64, due: Int64) -> String { "\(stream).waiting.\(job).\(due)" }
  /// All notes about a job.
  func notes(_ job: UInt64) -> String { "\(stream).waiting.\(job).*" }

  var allJobs: String { "\(stream).jobs.*" }
  var allResults: String { "\(stream).results.*" }
  var allFirstEndings: String { "\(stream).attempts.*.1" }
  var allEndings: String { "\(stream).endings.*" }
  var allDead: String { "\(stream).dead.*" }
  var allWaiting: String { "\(stream).waiting.*.*" }

  /// The id in the last part of a subject.
  static func id(of subject: String) -> String? {
    subject.split(separator: ".").last.flatMap { decoded($0) }
  }

  static func encoded(_ id: String) -> String { percentEncoded(id, keeping: isNamePart) }

  /// Resolves `%` and two hex digits; nil when there is something else behind a `%`.
  static func decoded(_ text: Substring) -> String? {
    percentDecoded(text).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What names of streams and parts of subjects are made of everywhere: servers make files of them.
  static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// What stands in a subject without wildcards.
  static func isPlain(_ byte: UInt8) -> Bool {
    byte > UInt8(ascii: " ") && byte < 0x7F && byte != UInt8(ascii: "*") && byte != UInt8(ascii: ">")
  }
}
