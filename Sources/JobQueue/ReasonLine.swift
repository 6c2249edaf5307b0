/// How much of a reason is kept, in bytes.
private let maximumReasonBytes = 1_000

/// The reason of an attempt as all queues keep it: without what would make several lines of it, not too long.
func reasonLine(_ reason: String) -> String {
  let words = reason.split { $0.isNewline || $0 == "\0" }.joined(separator: " ")
  guard words.utf8.count > maximumReasonBytes else { return words }
  return String(decoding: words.utf8.prefix(maximumReasonBytes), as: UTF8.self) + "…"
}
