import CFFmpeg
import RichPush

/// The pictures of a GIF, composed on its whole screen.
///
/// Where no frame has drawn, browsers let the page shine through. libavcodec puts the background colour there unless the
/// first frame is transparent somewhere. It takes that colour from the global colour table, so it gets none: each frame
/// brings that table as its own.
final class LibavGIFPictures: LibavPictureSource {
  private let source: MediaFile
  private let stage: Rejection.Stage
  private let structure: GIFStructure
  private let decoder: LibavDecoder
  private let packet: LibavPacket
  private var index = 0

  /// More frames than any plan lets through.
  private static let maximumFrames = 10_000

  init(_ source: MediaFile, at stage: Rejection.Stage) throws(Rejection.Reason) {
    self.source = source
    self.stage = stage
    structure = GIFStructure(source, most: LibavGIFPictures.maximumFrames)
    try requireDecodableSize((structure.width, structure.height), at: stage)
    decoder = try LibavDecoder(AV_CODEC_ID_GIF, at: stage)
    packet = try LibavPacket(at: stage)
  }

  func next(into frame: UnsafeMutablePointer<AVFrame>) throws(Rejection.Reason) -> Int? {
    guard index < structure.frames.count else { return nil }
    let coded = structure.frames[index]
    let bytes = (index == 0 ? screen() : []) + block(of: coded)
    index += 1
    av_packet_unref(packet.pointer)
    guard let size = Int32(exactly: bytes.count), av_new_packet(packet.pointer, size) == 0 else {
      throw libavOutOfMemory(at: stage)
    }
    packet.pointer.pointee.data.update(from: bytes, count: bytes.count)
    var status = decoder.send(packet.pointer)
    if status >= 0 { status = decoder.receive(frame) }
    guard status >= 0 else { throw undecodable(decoder, status, at: stage) }
    return coded.delay
  }

  /// Header and logical screen, which say that there is no global colour table.
  private func screen() -> [UInt8] {
    Array(source.bytes(at: 0, count: 10)) + [0, 0, 0]
  }

  private func block(of frame: GIFStructure.Frame) -> [UInt8] {
    var image = source.bytes(at: frame.image.lowerBound, count: frame.image.count)
    let hasOwnTable: UInt8 = 0x80
    let globalTable = 13..<max(13, structure.prefix.upperBound)
    if image.count > 10, image[9] & hasOwnTable == 0, !globalTable.isEmpty {
      // The table's size stands in three bits of the logical screen and goes into three of the image.
      let size = source.bytes(at: 10, count: 1).first.map { $0 & 7 } ?? 0
      image[9] = image[9] & 0x60 | hasOwnTable | size
      image.insert(contentsOf: source.bytes(at: globalTable.lowerBound, count: globalTable.count), at: 10)
    }
    return GIFStructure.controlBlock(frame, hundredths: frame.delay / 10) + image
  }
}
