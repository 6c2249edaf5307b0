import CVips

/// What a saver writes, in memory.
/// - Parameter limit: the saver is stopped when it writes more bytes than this.
func savedByVips(
  limit: Int = .max, _ save: (UnsafeMutablePointer<VipsTarget>) -> Int32
) throws(VipsFailure) -> [UInt8] {
  let collector = ByteCollector(limit: limit)
  // The target calls back only while `save` runs, and the collector lives until then.
  let context = Unmanaged.passUnretained(collector).toOpaque()
  guard let target = enclosure_vips_target(collect, context) else { throw .last() }
  let status = save(target)
  g_object_unref(target)
  return try withExtendedLifetime(collector) { () throws(VipsFailure) -> [UInt8] in
    guard collector.bytes.count <= limit else { throw VipsFailure(overLimit) }
    guard status == 0 else { throw .last() }
    return collector.bytes
  }
}

extension VipsFailure {
  /// Whether a saver was stopped because it wrote too much.
  var isOverLimit: Bool { message == overLimit }
}

private let overLimit = "more bytes than wanted"

private final class ByteCollector {
  var bytes: [UInt8] = []
  let limit: Int

  init(limit: Int) {
    self.limit = limit
  }
}

private func collect(
  _ target: UnsafeMutablePointer<VipsTargetCustom>?, _ start: UnsafeRawPointer?, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context, let start, count >= 0 else { return -1 }
  let collector = Unmanaged<ByteCollector>.fromOpaque(context).takeUnretainedValue()
  collector.bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
  return collector.bytes.count > collector.limit ? -1 : count
}
