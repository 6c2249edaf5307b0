import CVips
import Glibc
import Preparation
import RichPush

/// A loader of libvips, chosen by the file's signature and never by libvips itself, whose search would end at loaders
/// that guess.
enum VipsLoader {
  case jpeg(shrink: Int)
  case png
  case gif(allFrames: Bool)
  case webp(allFrames: Bool)
  case heif
  case tiff

  /// The loader for the first picture of a file; nil when libvips doesn't read the format here.
  init?(firstPictureOf format: MediaFormat) {
    switch format {
    case .jpeg: self = .jpeg(shrink: 1)
    case .png: self = .png
    case .gif: self = .gif(allFrames: false)
    case .webp: self = .webp(allFrames: false)
    case .heif, .avif: self = .heif
    case .tiff: self = .tiff
    default: return nil
    }
  }
}

extension VipsPicture {
  /// Reads a file's header. The pixels are decoded when they are asked for, once and from top to bottom, so the
  /// descriptor has to stay open until then.
  init(loading source: MediaFile, with loader: VipsLoader) throws(VipsFailure) {
    guard VipsLibrary.isReady else { throw VipsFailure("libvips does not start") }
    // Decoders leave warnings behind even where all went well, and those would be taken for this file's.
    vips_error_clear()
    guard lseek(source.descriptor, 0, SEEK_SET) == 0 else { throw VipsFailure("the file cannot be read again") }
    guard let input = vips_source_new_from_descriptor(source.descriptor) else { throw .last() }
    defer { g_object_unref(input) }
    var loaded: UnsafeMutablePointer<VipsImage>?
    let status =
      switch loader {
      case .jpeg(let shrink): enclosure_vips_load_jpeg(input, Int32(shrink), &loaded)
      case .png: enclosure_vips_load_png(input, &loaded)
      case .gif(let allFrames): enclosure_vips_load_gif(input, allFrames ? -1 : 1, &loaded)
      case .webp(let allFrames): enclosure_vips_load_webp(input, allFrames ? -1 : 1, &loaded)
      case .heif: enclosure_vips_load_heif(input, &loaded)
      case .tiff: enclosure_vips_load_tiff(input, &loaded)
      }
    guard status == 0, let loaded else { throw .last() }
    self.init(adopting: loaded)
  }

  /// Reads a PNG that is in memory, to its end.
  init(decodingPNG bytes: [UInt8]) throws(VipsFailure) {
    var loaded: UnsafeMutablePointer<VipsImage>?
    let status = bytes.withUnsafeBytes { bytes -> Int32 in
      guard let input = vips_source_new_from_memory(bytes.baseAddress, bytes.count) else { return -1 }
      defer { g_object_unref(input) }
      var lazy: UnsafeMutablePointer<VipsImage>?
      guard enclosure_vips_load_png(input, &lazy) == 0, let lazy else { return -1 }
      defer { g_object_unref(lazy) }
      loaded = vips_image_copy_memory(lazy)
      return 0
    }
    guard status == 0, let loaded else { throw .last() }
    self.init(adopting: loaded)
  }
}
