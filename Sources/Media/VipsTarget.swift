import CVips

/// What a saver writes, in memory.
/// - Parameter isEnough: told how many bytes there are, whether the saver is to be stopped.
func savedByVips(
  isEnough: @escaping (Int) -> Bool = { _ in false }, _ save: (UnsafeMutablePointer<VipsTarget>) -> Int32
) throws(VipsFailure) -> [UInt8] {
  let collector = ByteCollector(isEnough: isEnough)
  // The target calls back only while `save` runs, and the collector lives until then.
  let context = Unmanaged.passUnretained(collector).toOpaque()
  guard let target = enclosure_vips_target(collect, context) else { throw .last() }
  let status = save(target)
  g_object_unref(target)
  return try withExtendedLifetime(collector) { () throws(VipsFailure) -> [UInt8] in
    guard !collector.hasEnough else {
      vips_error_clear()
      throw VipsFailure(enough)
    }
    guard status == 0 else { throw .last() }
    return collector.bytes
  }
}

extension VipsFailure {
  /// Whether a saver was stopped because there was enough.
  var isEnough: Bool { message == enough }
}

private let enough = "there are more bytes than wanted"

private final class ByteCollector {
  private(set) var bytes: [UInt8] = []
  private(set) var hasEnough = false
  private let isEnough: (Int) -> Bool

  init(isEnough: @escaping (Int) -> Bool) {
    self.isEnough = isEnough
  }

  func append(_ more: UnsafeRawBufferPointer) -> Bool {
    bytes.append(contentsOf: more)
    hasEnough = hasEnough || isEnough(bytes.count)
    return !hasEnough
  }
}

private func collect(
  _ target: UnsafeMutablePointer<VipsTargetCustom>?, _ start: UnsafeRawPointer?, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context, let start, count >= 0 else { return -1 }
  let collector = Unmanaged<ByteCollector>.fromOpaque(context).takeUnretainedValue()
  return collector.append(UnsafeRawBufferPointer(start: start, count: count)) ? count : -1
}
