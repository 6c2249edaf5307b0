/// A part of a picture, in fractions of its width and height from the top left: `UNNotificationAttachment` takes it for the
/// thumbnail. Never empty, and never beyond the picture.
public struct ClippingRect: Sendable, Equatable {
  public let x: Double
  public let y: Double
  public let width: Double
  public let height: Double

  /// - Returns: nil for what is empty, or not within 0…1.
  public init?(x: Double, y: Double, width: Double, height: Double) {
    // A rounding beyond the edge is none.
    guard x >= 0, y >= 0, width > 0, height > 0, x + width <= 1 + 1e-9, y + height <= 1 + 1e-9 else { return nil }
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// As `CGRectCreateDictionaryRepresentation` would write it, which is what the option's value has to be.
  public var dictionary: [String: Double] {
    ["X": x, "Y": y, "Width": width, "Height": height]
  }

  var json: JSONValue { .object(dictionary.mapValues(JSONValue.number)) }
}

extension ClippingRect: Codable {
  enum CodingKeys: String, CodingKey {
    case x = "X"
    case y = "Y"
    case width = "Width"
    case height = "Height"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let rect = ClippingRect(
      x: try container.decode(Double.self, forKey: .x), y: try container.decode(Double.self, forKey: .y),
      width: try container.decode(Double.self, forKey: .width),
      height: try container.decode(Double.self, forKey: .height))
    guard let rect else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a rectangle that is not within 0...1"))
    }
    self = rect
  }
}
