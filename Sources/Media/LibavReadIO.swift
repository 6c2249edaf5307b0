import CFFmpeg
import Glibc

/// Bytes that libavformat may read.
protocol LibavSource {
  /// How many there are, so far as is known.
  var bytes: Int { get }
  /// - Returns: the number of bytes read, 0 at the end, -1 on failure with `errno` set.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
}

extension MediaFile: LibavSource {}

/// Lets libavformat read an open file and nothing else. Must live as long as the context that reads through it.
final class LibavReadIO {
  private let source: any LibavSource
  private var position: Int64 = 0
  /// Bytes that may still be read. Demuxers jump about and read some bytes twice, but one that reads a file dozens of
  /// times over is going round in circles.
  private var budget: Int
  /// `errno` of the first read that failed; nil when all went well.
  private(set) var failure: Int32?
  private(set) var isExhausted = false
  private var owned: UnsafeMutablePointer<AVIOContext>?

  /// The context to read through; nil when there was no memory for it.
  var pointer: UnsafeMutablePointer<AVIOContext>? { owned }

  /// - Parameter isSeekable: whether it may jump about. Where it may not, it reads from the beginning on.
  init(_ source: any LibavSource, isSeekable: Bool = true) {
    self.source = source
    let (product, overflow) = source.bytes.multipliedReportingOverflow(by: 32)
    budget = overflow ? Int.max : max(product, 1 << 30)
    let size = 1 << 16
    guard let buffer = av_malloc(size) else { return }
    let opaque = Unmanaged.passUnretained(self).toOpaque()
    owned = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(size), 0, opaque, readFromSource, nil,
      isSeekable ? seekInSource : nil)
    if owned == nil { av_free(buffer) }
  }

  deinit {
    guard let owned else { return }
    // libavformat may have replaced the buffer that was given to it.
    av_free(owned.pointee.buffer)
    avio_context_free(&self.owned)
  }

  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard budget > 0 else {
      isExhausted = true
      return enclosure_av_exit
    }
    let count = source.read(into: buffer, at: Int(position))
    guard count >= 0 else {
      failure = failure ?? errno
      return enclosure_av_io
    }
    guard count > 0 else { return enclosure_av_eof }
    position += Int64(count)
    budget -= count
    return Int32(count)
  }

  fileprivate func seek(to offset: Int64, whence: Int32) -> Int64 {
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return Int64(source.bytes)
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END: base = Int64(source.bytes)
    default: return Int64(enclosure_av_invalid_argument)
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return Int64(enclosure_av_invalid_argument) }
    position = target
    return target
  }
}

private func readFromSource(
  _ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int32
) -> Int32 {
  guard let opaque, let buffer, size > 0 else { return enclosure_av_invalid_argument }
  let io = Unmanaged<LibavReadIO>.fromOpaque(opaque).takeUnretainedValue()
  return io.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
}

private func seekInSource(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
  guard let opaque else { return Int64(enclosure_av_invalid_argument) }
  return Unmanaged<LibavReadIO>.fromOpaque(opaque).takeUnretainedValue().seek(to: offset, whence: whence)
}
