public import Foundation
public import RichPush

extension PayloadContent {
  /// Reads what a notification brought.
  /// - Parameter userInfo: of its content.
  /// - Returns: nil when Enclosure has put nothing into it.
  public init?(userInfo: [AnyHashable: Any]) {
    guard let value = userInfo[Self.key], JSONSerialization.isValidJSONObject(["": value]),
      let data = try? JSONSerialization.data(withJSONObject: [Self.key: value]),
      let json = try? JSONValue(parsing: data)
    else { return nil }
    self.init(payload: json)
  }

  /// The media of a manifest that an app has fetched.
  /// - Parameter manifest: the document's bytes.
  public init(manifest: Data) throws {
    let manifest = try JSONDecoder().decode(Manifest.self, from: manifest)
    self.init(media: manifest.attachments.compactMap { PayloadMedia($0) })
  }
}
