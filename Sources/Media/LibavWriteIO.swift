import CFFmpeg
import Glibc

/// Lets libavformat write an open file, up to a number of bytes. Must live as long as the context that writes through it.
final class LibavWriteIO {
  private let descriptor: Int32
  private let maximumBytes: Int
  private var position: Int64 = 0
  /// The end of what was written, in bytes.
  private(set) var bytes = 0
  /// `errno` of the first write that failed; nil when all went well.
  private(set) var failure: Int32?
  private(set) var isOverLimit = false
  private var owned: UnsafeMutablePointer<AVIOContext>?

  /// The context to write through; nil when there was no memory for it.
  var pointer: UnsafeMutablePointer<AVIOContext>? { owned }

  /// - Parameter descriptor: readable and writable; it stays the caller's.
  init(borrowing descriptor: Int32, maximumBytes: Int) {
    self.descriptor = descriptor
    self.maximumBytes = maximumBytes
    let size = 1 << 18
    guard let buffer = av_malloc(size) else { return }
    let opaque = Unmanaged.passUnretained(self).toOpaque()
    owned = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(size), 1, opaque, nil, writeToOutput, seekInOutput)
    if owned == nil { av_free(buffer) }
  }

  deinit {
    guard let owned else { return }
    av_free(owned.pointee.buffer)
    avio_context_free(&self.owned)
  }

  fileprivate func write(_ buffer: UnsafeRawBufferPointer) -> Int32 {
    guard position + Int64(buffer.count) <= Int64(maximumBytes) else {
      isOverLimit = true
      return enclosure_av_io
    }
    let status = writeAll(buffer, into: descriptor, at: Int(position))
    guard status == 0 else {
      failure = failure ?? status
      return enclosure_av_io
    }
    position += Int64(buffer.count)
    bytes = max(bytes, Int(position))
    return Int32(buffer.count)
  }

  fileprivate func seek(to offset: Int64, whence: Int32) -> Int64 {
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return Int64(bytes)
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END: base = Int64(bytes)
    default: return Int64(enclosure_av_invalid_argument)
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return Int64(enclosure_av_invalid_argument) }
    position = target
    return target
  }
}

private func writeToOutput(
  _ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int32
) -> Int32 {
  guard let opaque, let buffer, size >= 0 else { return enclosure_av_invalid_argument }
  let io = Unmanaged<LibavWriteIO>.fromOpaque(opaque).takeUnretainedValue()
  return io.write(UnsafeRawBufferPointer(start: buffer, count: Int(size)))
}

private func seekInOutput(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
  guard let opaque else { return Int64(enclosure_av_invalid_argument) }
  return Unmanaged<LibavWriteIO>.fromOpaque(opaque).takeUnretainedValue().seek(to: offset, whence: whence)
}
