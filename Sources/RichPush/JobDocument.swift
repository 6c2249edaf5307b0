/// What a sender asks for: one to four sources of one notification. The JSON document is described by
/// `job.schema.json`.
///
/// Unknown or wrong fields are refused, each with a sentence that names the field: a misspelt option that was passed
/// over would show on the phones only.
public struct JobDocument: Sendable, Equatable {
  /// The job's name, 1 to `maximumIDBytes` bytes. Two jobs of one id are one job.
  public var id: String
  public var sources: [Source]
  /// The APNs payload as the sender would send it.
  public var payload: JSONValue?
  public var options: Options
  /// When the notification is not worth sending any more.
  public var expiresAt: Timestamp?
  /// The http or https URL that learns how the job ended.
  public var callback: String?

  /// One medium.
  public struct Source: Sendable, Equatable {
    /// http, https, or file where the worker allows it.
    public var url: String
    /// The attachment's identifier; nil for `media-` and the source's number.
    public var identifier: String?

    public init(url: String, identifier: String? = nil) {
      self.url = url
      self.identifier = identifier
    }
  }

  /// How media are prepared; nil for what the worker does by default.
  public struct Options: Sendable, Equatable, Codable {
    public enum Fit: String, Codable, Sendable, CaseIterable {
      /// The whole picture, inside the square.
      case inside
      /// The full square, cut to the most interesting part of the picture.
      case cover
    }

    /// What becomes of a video that lasts longer than can be attached.
    public enum Overlong: String, Codable, Sendable, CaseIterable {
      case reject
      /// Its beginning, as long as can be attached.
      case trim
      /// A picture of it, as an image.
      case poster
    }

    public var fit: Fit?
    public var overlong: Overlong?
    /// Whether the notification shows no thumbnail of its attachment before it is expanded
    /// (`UNNotificationAttachmentOptionsThumbnailHiddenKey`); nil for one that does.
    public var thumbnailHidden: Bool?
    /// The part of each prepared picture that its thumbnail shows (`UNNotificationAttachmentOptionsThumbnailClippingRectKey`);
    /// nil for the whole.
    public var thumbnailClippingRect: ClippingRect?

    public init(
      fit: Fit? = nil, overlong: Overlong? = nil, thumbnailHidden: Bool? = nil,
      thumbnailClippingRect: ClippingRect? = nil
    ) {
      self.fit = fit
      self.overlong = overlong
      self.thumbnailHidden = thumbnailHidden
      self.thumbnailClippingRect = thumbnailClippingRect
    }

    var isEmpty: Bool { self == Options() }
  }

  /// The largest id, in UTF-8: what every queue can hold beside its own prefixes.
  public static let maximumIDBytes = 464
  /// Ids that begin like this are the worker's own.
  public static let reservedIDPrefix = "enclosure."
  public static let maximumIdentifierBytes = 128
  /// The longest URL, in bytes: RFC 9110 section 4.1 asks for 8,000 at least.
  public static let maximumURLBytes = 8192
  /// The largest document, in bytes. Notifications have at most 4 KB (5 KB for VoIP), four URLs 32 KB.
  public static let maximumBytes = 256 << 10
  /// How many arrays and objects may stand within each other in a payload, itself included. APNs' own keys need four.
  public static let maximumPayloadDepth = 16

  public init(
    id: String, sources: [Source], payload: JSONValue? = nil, options: Options = Options(),
    expiresAt: Timestamp? = nil, callback: String? = nil
  ) {
    self.id = id
    self.sources = sources
    self.payload = payload
    self.options = options
    self.expiresAt = expiresAt
    self.callback = callback
  }

  /// What is wrong with a document.
  public struct Fault: Error, Sendable, Equatable {
    /// Where: `sources[1].url`; nil when it concerns all of the document.
    public var field: String?
    /// What, to follow the field's name: `must be a string, not the number 5`.
    public var problem: String

    public init(_ field: String?, _ problem: String) {
      self.field = field
      self.problem = problem
    }

    /// Both in one sentence.
    public var message: String { "\(field ?? "the job") \(problem)" }
  }
}
