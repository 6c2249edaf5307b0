import RichPush
import Testing

/// These values are the contract with extensions, servers and dead-letter rules that were written years ago. A failing
/// line here means that somebody's integration breaks.
@Test(
  "an attachment type's identifier, extension, content type, kind and limit never change",
  arguments: [
    (.jpeg, "public.jpeg", "jpg", "image/jpeg", .image, 10_000_000),
    (.png, "public.png", "png", "image/png", .image, 10_000_000),
    (.gif, "com.compuserve.gif", "gif", "image/gif", .image, 10_000_000),
    (.mpeg4, "public.mpeg-4", "mp4", "video/mp4", .video, 50_000_000),
    (.mp3, "public.mp3", "mp3", "audio/mpeg", .audio, 5_000_000),
    (.mpeg4Audio, "public.mpeg-4-audio", "m4a", "audio/mp4", .audio, 5_000_000),
    (.wav, "com.microsoft.waveform-audio", "wav", "audio/wav", .audio, 5_000_000),
    (.aiff, "public.aiff-audio", "aiff", "audio/aiff", .audio, 5_000_000),
  ] as [(AttachmentType, String, String, String, MediaKind, Int)])
func keepsType(
  type: AttachmentType, identifier: String, fileExtension: String, contentType: String, kind: MediaKind, limit: Int
) {
  #expect(type.rawValue == identifier)
  #expect(type.fileExtension == fileExtension)
  #expect(type.contentType == contentType)
  #expect(type.kind == kind)
  #expect(type.kind.maximumAttachmentBytes == limit)
}

@Test("there are eight attachment types, no two alike")
func keepsTypesApart() {
  #expect(AttachmentType.allCases.count == 8)
  #expect(Set(AttachmentType.allCases.map(\.fileExtension)).count == 8)
  #expect(Set(AttachmentType.allCases.map(\.contentType)).count == 8)
}

private let codes: [(Rejection.Code, String, Bool)] = [
  (.blockedAddress, "blocked_address", true), (.unsupportedScheme, "unsupported_scheme", true),
  (.httpStatus, "http_status", true), (.tooManyRedirects, "too_many_redirects", true),
  (.fetchFailed, "fetch_failed", false), (.fetchTimeout, "fetch_timeout", false), (.tooLarge, "too_large", true),
  (.empty, "empty", true), (.unsupportedType, "unsupported_type", true), (.unsupportedCodec, "unsupported_codec", true),
  (.corrupt, "corrupt", true), (.truncated, "truncated", true), (.tooManyPixels, "too_many_pixels", true),
  (.tooManyFrames, "too_many_frames", true), (.videoTooLong, "video_too_long", true),
  (.unknownDuration, "unknown_duration", true), (.cannotFitLimit, "cannot_fit_limit", true),
  (.decoderCrashed, "decoder_crashed", true), (.decoderTimeout, "decoder_timeout", false),
  (.decoderMemory, "decoder_memory", false), (.storeFailed, "store_failed", false), (.invalidJob, "invalid_job", true),
  (.expired, "expired", true),
]

@Test("a rejection code's name never changes, nor whether it is permanent", arguments: codes)
func keepsCode(code: Rejection.Code, name: String, permanent: Bool) {
  #expect(code.rawValue == name)
  #expect(code.isUsuallyPermanent == permanent)
  #expect(Rejection.Reason(code, at: .plan, "").permanent == permanent)
  #expect(Rejection.Reason(code, at: .plan, "", permanent: !permanent).permanent == !permanent)
}

@Test("every rejection code is held by the test above")
func keepsAllCodes() {
  #expect(codes.map(\.0) == Rejection.Code.allCases)
}

@Test("a stage's name never changes")
func keepsStages() {
  #expect(Rejection.Stage.allCases.map(\.rawValue) == ["fetch", "inspect", "plan", "prepare", "verify", "store"])
}

@Test(
  "a manifest is ready without rejections, partial with some, rejected without attachments",
  arguments: [(1, 0, .ready), (2, 1, .partial), (0, 1, .rejected), (0, 0, .rejected)]
    as [(Int, Int, Manifest.Status)])
func derivesStatus(attachments: Int, rejections: Int, status: Manifest.Status) {
  let manifest = Manifest(
    id: "a", preparedAt: "",
    attachments: minimalManifest.attachments.flatMap { Array(repeating: $0, count: attachments) },
    rejections: minimalManifest.rejections.flatMap { Array(repeating: $0, count: rejections) }, warnings: [])
  #expect(manifest.status == status)
}
