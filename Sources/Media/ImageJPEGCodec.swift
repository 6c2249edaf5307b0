import CTurboJPEG
import Glibc

/// The owner of a libjpeg-turbo decoder and of a whole JPEG file in memory.
struct JPEGDecoder: ~Copyable {
  private let handle: tjhandle
  private let data: UnsafeMutableRawBufferPointer
  let width: Int
  let height: Int
  let subsampling: JPEGSubsampling
  /// Whether it is stored as luma and chroma, or as luma alone.
  let isYCbCr: Bool

  /// nil when libjpeg-turbo knows no name for the file's structure: odd subsampling, a broken header …
  init?(_ file: MediaFile) {
    guard let handle = tjInitDecompress() else { return nil }
    let data = UnsafeMutableRawBufferPointer.allocate(byteCount: file.bytes, alignment: 16)
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = 0
    var colours: Int32 = 0
    guard file.fill(data, at: 0),
      tjDecompressHeader3(handle, data.baseAddress, UInt(data.count), &width, &height, &subsampling, &colours) == 0,
      let known = JPEGSubsampling(rawValue: subsampling)
    else {
      tjDestroy(handle)
      data.deallocate()
      return nil
    }
    self.handle = handle
    self.data = data
    self.width = Int(width)
    self.height = Int(height)
    self.subsampling = known
    isYCbCr = colours == Int32(TJCS_YCbCr.rawValue) || colours == Int32(TJCS_GRAY.rawValue)
  }

  deinit {
    tjDestroy(handle)
    data.deallocate()
  }

  /// Decodes at a fraction of the size, without converting colours.
  /// - Parameter shrink: 1, 2, 4 or 8.
  /// - Returns: nil when the decoder had anything to complain about.
  borrowing func planes(shrink: Int) -> JPEGPlanes? {
    let scaled = (width: (width + shrink - 1) / shrink, height: (height + shrink - 1) / shrink)
    let planes = JPEGPlanes(width: scaled.width, height: scaled.height, subsampling: subsampling)
    var pointers = planes.pointers()
    let status = tjDecompressToYUVPlanes(
      handle, data.baseAddress, UInt(data.count), &pointers, Int32(scaled.width), nil, Int32(scaled.height),
      TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS)
    guard status == 0 else { return nil }
    return planes
  }

  /// The same coefficients, upright, as a baseline JPEG without metadata.
  /// - Returns: nil when that can't be done without loss, or the decoder had anything to complain about.
  borrowing func transformed(_ orientation: Orientation) -> JPEGData? {
    guard let handle = tjInitTransform() else { return nil }
    defer { tjDestroy(handle) }
    var transform = tjtransform()
    transform.op = Int32(orientation.transform.rawValue)
    transform.options = TJXOPT_PERFECT | TJXOPT_COPYNONE
    var output: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let status = tjTransform(
      handle, data.baseAddress, UInt(data.count), 1, &output, &count, &transform, TJFLAG_LIMITSCANS)
    guard let output else { return nil }
    let result = JPEGData(adopting: output, count: Int(count))
    guard status == 0 else { return nil }
    return result
  }
}

/// The owner of a JPEG file that libjpeg-turbo made.
struct JPEGData: ~Copyable {
  let bytes: UnsafeRawBufferPointer

  init(adopting start: UnsafeMutablePointer<UInt8>, count: Int) {
    bytes = UnsafeRawBufferPointer(start: start, count: count)
  }

  deinit {
    tjFree(UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress))
  }
}

extension Orientation {
  fileprivate var transform: TJXOP {
    switch exif {
    case 2: TJXOP_HFLIP
    case 3: TJXOP_ROT180
    case 4: TJXOP_VFLIP
    case 5: TJXOP_TRANSPOSE
    case 6: TJXOP_ROT90
    case 7: TJXOP_TRANSVERSE
    case 8: TJXOP_ROT270
    default: TJXOP_NONE
    }
  }
}

/// How much coarser chroma is stored than luma.
enum JPEGSubsampling: Int32 {
  // The values are libjpeg-turbo's TJSAMP_….
  case full = 0
  case half = 1
  case quarter = 2
  case grey = 3
  case vertical = 4
  case narrow = 5

  /// Luma samples for each sample of chroma, across and down.
  var factors: (x: Int, y: Int) {
    switch self {
    case .full, .grey: (1, 1)
    case .half: (2, 1)
    case .quarter: (2, 2)
    case .vertical: (1, 2)
    case .narrow: (4, 1)
    }
  }
}

/// The owner of the planes of a picture in luma and chroma, 8 bits, rows padded as libjpeg-turbo does.
struct JPEGPlanes: ~Copyable {
  let width: Int
  let height: Int
  let subsampling: JPEGSubsampling
  private let memory: UnsafeMutableRawBufferPointer
  private let starts: [Int]

  init(width: Int, height: Int, subsampling: JPEGSubsampling) {
    self.width = width
    self.height = height
    self.subsampling = subsampling
    var starts: [Int] = []
    var total = 0
    for index in 0..<(subsampling == .grey ? 1 : 3) {
      starts.append(total)
      let size = tjPlaneSizeYUV(Int32(index), Int32(width), 0, Int32(height), subsampling.rawValue)
      total += (Int(size) + 63) & ~63
    }
    self.starts = starts
    memory = .allocate(byteCount: total, alignment: 64)
  }

  deinit {
    memory.deallocate()
  }

  /// Luma alone, or luma and two planes of chroma.
  var count: Int { starts.count }

  /// The start of each plane, in the type that libjpeg-turbo takes.
  borrowing func pointers() -> [UnsafeMutablePointer<UInt8>?] {
    let base = memory.bindMemory(to: UInt8.self).baseAddress
    return starts.map { start in base.map { $0 + start } }
  }

  /// A plane, with the number of its samples that belong to the picture.
  borrowing func plane(_ index: Int) -> Plane {
    let factors = index == 0 ? (x: 1, y: 1) : subsampling.factors
    let stride = tjPlaneWidth(Int32(index), Int32(width), subsampling.rawValue)
    let columns = (width + factors.x - 1) / factors.x
    let rows = (height + factors.y - 1) / factors.y
    let samples = UnsafeMutableRawBufferPointer(rebasing: memory[starts[index]...]).bindMemory(to: UInt8.self)
    return Plane(samples: samples, columns: columns, rows: rows, stride: Int(stride))
  }

  /// Repeats the last samples where libjpeg-turbo reads past the picture's edge.
  borrowing func fillPadding() {
    for index in 0..<count {
      let plane = plane(index)
      let paddedRows = Int(tjPlaneHeight(Int32(index), Int32(height), subsampling.rawValue))
      for row in 0..<paddedRows {
        let start = row * plane.stride
        if row >= plane.rows {
          for column in 0..<plane.columns {
            plane.samples[start + column] = plane.samples[start - plane.stride + column]
          }
        }
        for column in plane.columns..<plane.stride {
          plane.samples[start + column] = plane.samples[start + plane.columns - 1]
        }
      }
    }
  }

  /// RGB, or grey for luma alone; nil when libjpeg-turbo fails.
  borrowing func colours() -> PixelBuffer? {
    guard let handle = tjInitDecompress() else { return nil }
    defer { tjDestroy(handle) }
    let pixels = PixelBuffer(width: width, height: height, channels: count)
    var pointers = pointers().map { UnsafePointer($0) }
    let format = count == 1 ? TJPF_GRAY : TJPF_RGB
    let status = tjDecodeYUVPlanes(
      handle, &pointers, nil, subsampling.rawValue, pixels.bytes.bindMemory(to: UInt8.self).baseAddress, Int32(width),
      0, Int32(height), format.rawValue, 0)
    guard status == 0 else { return nil }
    return pixels
  }

  /// A baseline JPEG that starts with a JFIF segment and holds no metadata; nil when libjpeg-turbo fails.
  borrowing func encoded(quality: Int) -> JPEGData? {
    guard let handle = tjInitCompress() else { return nil }
    defer { tjDestroy(handle) }
    var pointers = pointers().map { UnsafePointer($0) }
    var output: UnsafeMutablePointer<UInt8>?
    var bytes: UInt = 0
    let status = tjCompressFromYUVPlanes(
      handle, &pointers, Int32(width), nil, Int32(height), subsampling.rawValue, &output, &bytes, Int32(quality),
      TJFLAG_ACCURATEDCT)
    guard let output else { return nil }
    let result = JPEGData(adopting: output, count: Int(bytes))
    guard status == 0 else { return nil }
    return result
  }
}

/// One plane of a picture. The samples belong to somebody else.
struct Plane {
  let samples: UnsafeMutableBufferPointer<UInt8>
  let columns: Int
  let rows: Int
  /// Samples from one row to the next.
  let stride: Int
}

extension PixelBuffer {
  /// A baseline JPEG of grey or RGB (4:2:0) that starts with a JFIF segment; nil when libjpeg-turbo fails. An alpha
  /// channel is ignored.
  borrowing func encodedAsJPEG(quality: Int) -> JPEGData? {
    if channels == 2 { return withoutAlpha().encodedAsJPEG(quality: quality) }
    guard let handle = tjInitCompress() else { return nil }
    defer { tjDestroy(handle) }
    let format: TJPF
    switch channels {
    case 1: format = TJPF_GRAY
    case 3: format = TJPF_RGB
    case 4: format = TJPF_RGBX
    default: return nil
    }
    var output: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let status = tjCompress2(
      handle, bytes.bindMemory(to: UInt8.self).baseAddress, Int32(width), 0, Int32(height), format.rawValue, &output,
      &count, channels == 1 ? JPEGSubsampling.grey.rawValue : JPEGSubsampling.quarter.rawValue, Int32(quality),
      TJFLAG_ACCURATEDCT)
    guard let output else { return nil }
    let result = JPEGData(adopting: output, count: Int(count))
    guard status == 0 else { return nil }
    return result
  }
}
