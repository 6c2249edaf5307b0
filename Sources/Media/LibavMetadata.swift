import CFFmpeg
import Preparation

extension LibavInput {
  /// What the file carries besides the kept streams, and what will therefore be dropped.
  func metadata(beside kept: [Int]) -> [MediaFacts.Metadata] {
    var found: Set<MediaFacts.Metadata> = []
    note(context.pointee.metadata, in: &found)
    for index in 0..<streamCount {
      guard let stream = stream(index) else { continue }
      note(stream.pointee.metadata, in: &found)
      guard !kept.contains(index) else { continue }
      switch stream.pointee.codecpar.pointee.codec_type {
      case AVMEDIA_TYPE_SUBTITLE: found.insert(.subtitles)
      case AVMEDIA_TYPE_VIDEO where stream.isCoverArt: found.insert(.coverArt)
      case AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO: if !stream.hasCodec { found.insert(.dataTracks) }
      default: found.insert(.dataTracks)
      }
    }
    if context.pointee.nb_chapters > 0 { found.insert(.chapters) }
    return MediaFacts.Metadata.allCases.filter(found.contains)
  }

  /// Keys that say nothing about people or places: the container's own, and which program wrote it when.
  private static let technicalKeys: Set = [
    "major_brand", "minor_version", "compatible_brands", "encoder", "creation_time", "handler_name", "vendor_id",
    "language", "duration", "timecode", "reel_name", "variant_bitrate",
  ]

  private func note(_ dictionary: OpaquePointer?, in found: inout Set<MediaFacts.Metadata>) {
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
      entry = next
      let key = String(cString: next.pointee.key).lowercased()
      if key.hasPrefix("location") || key.contains("location.") || key.contains("gps") || key == "xyz" {
        found.insert(.gps)
      } else if key.hasPrefix("comment") {
        found.insert(.comment)
      } else if !LibavInput.technicalKeys.contains(key), !key.hasPrefix("_statistics"), !key.hasPrefix("bps"),
        !key.hasPrefix("number_of_")
      {
        found.insert(.tags)
      }
    }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Cover art and thumbnails come as video streams of one picture.
  var isCoverArt: Bool {
    pointee.disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS) != 0
  }
}
