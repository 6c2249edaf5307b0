/// What a notification attachment is to the phone: it decides the size limit and how iOS shows it.
public enum MediaKind: String, Codable, Sendable, CaseIterable {
  case image, video, audio
}

/// The file types that Enclosure gives to iOS. The raw value is the uniform type identifier for
/// `UNNotificationAttachmentOptionsTypeHintKey`.
///
/// They are the part of Apple's list (developer.apple.com/documentation/usernotifications/unnotificationattachment)
/// into which everything else can be converted without harm.
public enum AttachmentType: String, Codable, Sendable, CaseIterable {
  case jpeg = "public.jpeg"
  case png = "public.png"
  case gif = "com.compuserve.gif"
  case mpeg4 = "public.mpeg-4"
  case mp3 = "public.mp3"
  case mpeg4Audio = "public.mpeg-4-audio"
  case wav = "com.microsoft.waveform-audio"
  case aiff = "public.aiff-audio"

  public var kind: MediaKind {
    switch self {
    case .jpeg, .png, .gif: .image
    case .mpeg4: .video
    case .mp3, .mpeg4Audio, .wav, .aiff: .audio
    }
  }

  /// The file name extension, without its dot. Extension, identifier, content type and bytes always agree: SDKs and
  /// iOS each look at another one of them.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .png: "png"
    case .gif: "gif"
    case .mpeg4: "mp4"
    case .mp3: "mp3"
    case .mpeg4Audio: "m4a"
    case .wav: "wav"
    case .aiff: "aiff"
    }
  }

  /// The media type to serve the file with.
  public var contentType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    case .gif: "image/gif"
    case .mpeg4: "video/mp4"
    case .mp3: "audio/mpeg"
    case .mpeg4Audio: "audio/mp4"
    case .wav: "audio/wav"
    case .aiff: "audio/aiff"
    }
  }
}

extension MediaKind {
  /// The largest attachment of this kind that iOS accepts, in bytes. Apple says 10, 50 and 5 MB and not whether MB is
  /// 10⁶ or 2²⁰ bytes, so the smaller one counts.
  public var maximumAttachmentBytes: Int {
    switch self {
    case .image: 10_000_000
    case .video: 50_000_000
    case .audio: 5_000_000
    }
  }
}

/// How many attachments one notification may have.
public let maximumAttachmentsPerNotification = 4
