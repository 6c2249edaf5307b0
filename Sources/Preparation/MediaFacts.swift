/// What the bytes of a source turned out to be.
package struct MediaFacts: Codable, Sendable, Equatable {
  package var format: MediaFormat
  package var bytes: Int
  package var content: Content
  /// What the file carries besides its picture and sound, and what will therefore be dropped.
  package var metadata: [Metadata]

  package init(format: MediaFormat, bytes: Int, content: Content, metadata: [Metadata] = []) {
    self.format = format
    self.bytes = bytes
    self.content = content
    self.metadata = metadata
  }

  package enum Content: Sendable, Equatable {
    case image(ImageFacts)
    case video(VideoFacts)
    case audio(AudioFacts)
  }

  package enum Metadata: String, Codable, Sendable, CaseIterable {
    case exif, gps, xmp, iptc, comment
    /// Title, artist, device, software and the like.
    case tags
    case coverArt = "cover_art"
    case chapters, subtitles
    /// Timed metadata, timecode and other tracks that are neither picture nor sound.
    case dataTracks = "data_tracks"
    /// More pictures than the primary one: gain map, depth, thumbnails, pages.
    case auxiliaryImages = "auxiliary_images"
    /// Bytes behind the end of the picture.
    case trailingData = "trailing_data"
  }
}

/// A still image or an animation.
package struct ImageFacts: Codable, Sendable, Equatable {
  /// Size in pixels as stored.
  package var codedWidth: Int
  package var codedHeight: Int
  /// EXIF orientation, 1 to 8, that still has to be applied; 1 where the decoder applies it by itself (HEIF).
  package var orientation: Int
  package var colour: Colour
  package var bitsPerChannel: Int
  /// Whether there is an alpha channel. Whether it holds real transparency shows only when it is decoded.
  package var hasAlpha: Bool
  /// Whether an ICC profile other than plain sRGB is embedded or implied.
  package var hasColourProfile: Bool
  /// Number of pictures that are shown one after the other; 1 for a still.
  package var frames: Int
  /// How long each frame is shown, in milliseconds, as stored; empty for a still.
  package var delays: [Int]
  /// How often the animation plays, 0 for ever; nil for a still.
  package var plays: Int?
  package var decoder: Decoder

  package enum Colour: String, Codable, Sendable {
    case rgb, grey, cmyk
  }

  /// Which library reads the picture.
  package enum Decoder: String, Codable, Sendable {
    case vips, libav
  }

  package init(
    codedWidth: Int, codedHeight: Int, orientation: Int = 1, colour: Colour = .rgb, bitsPerChannel: Int = 8,
    hasAlpha: Bool = false, hasColourProfile: Bool = false, frames: Int = 1, delays: [Int] = [], plays: Int? = nil,
    decoder: Decoder = .vips
  ) {
    self.codedWidth = codedWidth
    self.codedHeight = codedHeight
    self.orientation = orientation
    self.colour = colour
    self.bitsPerChannel = bitsPerChannel
    self.hasAlpha = hasAlpha
    self.hasColourProfile = hasColourProfile
    self.frames = frames
    self.delays = delays
    self.plays = plays
    self.decoder = decoder
  }

  /// Orientations 5 to 8 lie on their side.
  package var isTransposed: Bool { orientation >= 5 }
  /// Size in pixels as displayed.
  package var width: Int { isTransposed ? codedHeight : codedWidth }
  package var height: Int { isTransposed ? codedWidth : codedHeight }
  package var isAnimated: Bool { frames > 1 }
  /// How long one play lasts, in seconds, as stored; nil for a still.
  package var duration: Double? { isAnimated ? Double(delays.reduce(0, +)) / 1000 : nil }
}

/// A video, with or without sound.
package struct VideoFacts: Codable, Sendable, Equatable {
  /// Size in pixels as stored.
  package var codedWidth: Int
  package var codedHeight: Int
  /// Size in pixels as displayed: pixels squared, then rotated.
  package var width: Int
  package var height: Int
  /// Clockwise rotation for display in degrees, 0 to 359.
  package var rotation: Int
  package var isMirrored: Bool
  package var picture: PictureStream
  /// The audio stream that is kept; nil for a silent video.
  package var sound: AudioStream?
  package var duration: MediaDuration
  /// Seconds that one picture is shown; nil when the rate is unknown.
  package var framePeriod: Double?
  /// Why the pictures cannot be copied though their codec could be, as the subject of a sentence; nil when nothing is
  /// in the way.
  package var copyObstacle: String?
  /// All streams, those included that will be dropped, as `video h264`, `audio aac`, `data tmcd` …
  package var streams: [String]

  package init(
    codedWidth: Int, codedHeight: Int, width: Int, height: Int, rotation: Int = 0, isMirrored: Bool = false,
    picture: PictureStream, sound: AudioStream? = nil, duration: MediaDuration, framePeriod: Double? = nil,
    copyObstacle: String? = nil, streams: [String]
  ) {
    self.codedWidth = codedWidth
    self.codedHeight = codedHeight
    self.width = width
    self.height = height
    self.rotation = rotation
    self.isMirrored = isMirrored
    self.picture = picture
    self.sound = sound
    self.duration = duration
    self.framePeriod = framePeriod
    self.copyObstacle = copyObstacle
    self.streams = streams
  }

  /// Whether the pixels are not square, so that the picture is displayed in another shape than it is stored in.
  package var isAnamorphic: Bool {
    let isTransposed = rotation % 180 == 90
    return (codedWidth, codedHeight) != (isTransposed ? (height, width) : (width, height))
  }
}

/// The pictures of a video, as coded.
package struct PictureStream: Codable, Sendable, Equatable {
  /// Index of the stream in its container.
  package var index: Int
  /// The codec by FFmpeg's name: `h264`, `hevc`, `vp9` …; `unknown` when the container's tag means nothing to it.
  package var codec: String
  /// The sample entry's four characters, such as `avc1` or `hev1`; empty where the container has none.
  package var tag: String
  package var profile: String
  /// Level as the codec writes it (H.264: 41 is 4.1; HEVC: 30 × level); negative when unknown.
  package var level: Int
  package var pixelFormat: String
  package var isInterlaced: Bool
  /// Whether the transfer function is that of high dynamic range: PQ or HLG.
  package var isHighDynamicRange: Bool
  package var isEncrypted: Bool
  /// Whether the library has a decoder for it.
  package var isDecodable: Bool

  package init(
    index: Int, codec: String, tag: String = "", profile: String = "", level: Int = -99, pixelFormat: String = "",
    isInterlaced: Bool = false, isHighDynamicRange: Bool = false, isEncrypted: Bool = false, isDecodable: Bool = true
  ) {
    self.index = index
    self.codec = codec
    self.tag = tag
    self.profile = profile
    self.level = level
    self.pixelFormat = pixelFormat
    self.isInterlaced = isInterlaced
    self.isHighDynamicRange = isHighDynamicRange
    self.isEncrypted = isEncrypted
    self.isDecodable = isDecodable
  }
}

/// One stream of sound, as coded.
package struct AudioStream: Codable, Sendable, Equatable {
  /// Index of the stream in its container.
  package var index: Int
  /// The codec by FFmpeg's name: `aac`, `mp3`, `pcm_s16le` …
  package var codec: String
  package var profile: String
  /// Samples per second.
  package var sampleRate: Int
  package var channels: Int
  /// Bits per second, 0 when unknown.
  package var bitRate: Int
  package var isEncrypted: Bool
  package var isDecodable: Bool

  package init(
    index: Int, codec: String, profile: String = "", sampleRate: Int, channels: Int, bitRate: Int = 0,
    isEncrypted: Bool = false, isDecodable: Bool = true
  ) {
    self.index = index
    self.codec = codec
    self.profile = profile
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitRate = bitRate
    self.isEncrypted = isEncrypted
    self.isDecodable = isDecodable
  }
}

/// Sound without pictures. Cover art does not count as a picture.
package struct AudioFacts: Codable, Sendable, Equatable {
  package var sound: AudioStream
  package var duration: MediaDuration
  package var streams: [String]

  package init(sound: AudioStream, duration: MediaDuration, streams: [String]) {
    self.sound = sound
    self.duration = duration
    self.streams = streams
  }
}

/// How long something plays, by the two witnesses that there are. Seconds, edit lists applied.
package struct MediaDuration: Codable, Sendable, Equatable {
  /// What the container's header says; nil when it says nothing.
  package var header: Double?
  /// From the first packet's presentation time to the end of the last; nil when the packets were not read.
  package var packets: Double?
  /// The moment of the source that becomes 0 of the presentation, in seconds.
  package var start: Double

  package init(header: Double? = nil, packets: Double? = nil, start: Double = 0) {
    self.header = header
    self.packets = packets
    self.start = start
  }

  /// The time that counts: the packets where they were read, else the header.
  package var presented: Double? { packets ?? header }
}

extension MediaFacts.Content: Codable {
  private enum CodingKeys: String, CodingKey {
    case image, video, audio
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let facts = try container.decodeIfPresent(ImageFacts.self, forKey: .image) {
      self = .image(facts)
    } else if let facts = try container.decodeIfPresent(VideoFacts.self, forKey: .video) {
      self = .video(facts)
    } else {
      self = .audio(try container.decode(AudioFacts.self, forKey: .audio))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .image(let facts): try container.encode(facts, forKey: .image)
    case .video(let facts): try container.encode(facts, forKey: .video)
    case .audio(let facts): try container.encode(facts, forKey: .audio)
    }
  }
}
