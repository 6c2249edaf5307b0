/// A set of keys by which the service extension of some SDK finds the media of a notification.
///
/// They are what the SDKs read on the device, which is not always what their servers are told. All show one file; where
/// several can be named, several are.
public enum PayloadPreset: String, Sendable, CaseIterable {
  /// `media-url`, for extensions that were written by hand.
  case plain
  case airship, braze, clevertap, customerio, expo, firebase, iterable, klaviyo, notifee, onesignal, pinpoint,
    pushwoosh,
    salesforce
}

extension PayloadPreset {
  /// Where the SDK looks for the URL of a file, as paths of names into the payload.
  var urlPaths: [[String]] {
    switch self {
    case .plain: [["media-url"]]
    case .airship: [["com.urbanairship.media_attachment", "url"]]
    case .braze: [["ab", "att", "url"]]
    case .clevertap: [["ct_mediaUrl"]]
    case .customerio: [["CIO", "push", "image"]]
    case .expo: [["body", "_richContent", "image"], ["_richContent", "image"]]
    case .firebase: [["fcm_options", "image"]]
    case .iterable: [["itbl", "attachment-url"]]
    case .klaviyo: [["rich-media"]]
    case .notifee: [["notifee_options", "ios", "attachments"], ["notifee_options", "image"]]
    case .onesignal: [["att"], ["os_data", "att"]]
    case .pinpoint: [["data", "media-url"]]
    case .pushwoosh: [["attachment"]]
    case .salesforce: [["_mediaUrl"]]
    }
  }

  /// What to write into a payload.
  /// - Parameters:
  ///   - media: the files, at least one; the first one is what an SDK that knows one file shows.
  ///   - payload: what the sender has already; OneSignal's payloads have two forms.
  /// - Returns: paths of names, and the values to put there.
  func entries(for media: [PayloadMedia], in payload: JSONValue) -> [(path: [String], value: JSONValue)] {
    guard let first = media.first else { return [] }
    let url = JSONValue.string(first.url)
    switch self {
    case .plain: return [(["media-url"], url)]
    case .airship:
      // Options are for all files together.
      let key = "com.urbanairship.media_attachment"
      var entries: [([String], JSONValue)] = [([key, "url"], .array(media.map { .string($0.url) }))]
      if let time = first.thumbnailTime { entries.append(([key, "options", "time"], .number(time))) }
      if first.thumbnailHidden { entries.append(([key, "options", "hidden"], .bool(true))) }
      if let rect = first.thumbnailClippingRect { entries.append(([key, "options", "crop"], rect.lowercased)) }
      return entries
    case .braze:
      return [(["ab", "att", "url"], url), (["ab", "att", "type"], .string(first.type.fileExtension))]
    case .clevertap: return [(["ct_mediaUrl"], url), (["ct_mediaType"], .string(first.type.cleverTapName))]
    case .customerio: return [(["CIO", "push", "image"], url)]
    case .expo: return first.picture.map { [(["body", "_richContent", "image"], .string($0))] } ?? []
    case .firebase: return [(["fcm_options", "image"], url)]
    case .iterable: return [(["itbl", "attachment-url"], url)]
    case .klaviyo: return [(["rich-media"], url), (["rich-media-type"], .string(first.type.fileExtension))]
    case .notifee:
      return [(["notifee_options", "ios", "attachments"], .array(media.map(\.notifeeAttachment)))]
    case .onesignal:
      let files = Dictionary(media.map { ($0.identifier, JSONValue.string($0.url)) }) { first, _ in first }
      return [(payload["os_data"]?.asObject == nil ? ["att"] : ["os_data", "att"], .object(files))]
    case .pinpoint: return [(["data", "media-url"], url)]
    case .pushwoosh: return [(["attachment"], url)]
    case .salesforce: return [(["_mediaUrl"], url)]
    }
  }

  /// Why the SDK does not show media of a type, or not always; nil when it does.
  /// - Parameter hasPoster: whether the payload of a video has the address of its poster.
  public func doubt(about type: AttachmentType, hasPoster: Bool = true) -> String? {
    switch (self, type.kind) {
    case (.expo, .video) where !hasPoster:
      "Expo's rich content is an image, and the video's poster is not in the payload"
    case (.expo, .video): "Expo's rich content is an image: it gets the poster of the video"
    case (.expo, .audio): "Expo's rich content is an image, and this is audio"
    case (.clevertap, .audio) where type != .mp3: "CleverTap's extension names every audio file .mp3, and this is none"
    case (.klaviyo, .audio): "Klaviyo's extension is not known to play audio"
    default: nil
    }
  }
}

extension PayloadMedia {
  /// The URL of a still or animation: the file itself, or a video's poster.
  fileprivate var picture: String? { type.kind == .image ? url : poster }

  fileprivate var notifeeAttachment: JSONValue {
    var members: [String: JSONValue] = [
      "id": .string(identifier), "url": .string(url), "typeHint": .string(type.rawValue),
    ]
    members["thumbnailTime"] = thumbnailTime.map(JSONValue.number)
    if thumbnailHidden { members["thumbnailHidden"] = .bool(true) }
    members["thumbnailClippingRect"] = thumbnailClippingRect?.lowercased
    return .object(members)
  }
}

extension ClippingRect {
  /// As Airship and Notifee have it.
  fileprivate var lowercased: JSONValue {
    .object(Dictionary(uniqueKeysWithValues: dictionary.map { ($0.lowercased(), .number($1)) }))
  }
}

extension AttachmentType {
  /// Older versions of CleverTap's extension take any word but image, video and audio for a file name extension, newer
  /// ones go by the Content-Type of images then.
  fileprivate var cleverTapName: String {
    switch self {
    case .jpeg: "image"
    case .png, .gif: fileExtension
    case .mpeg4: "video"
    case .mp3, .mpeg4Audio, .wav, .aiff: "audio"
    }
  }
}
