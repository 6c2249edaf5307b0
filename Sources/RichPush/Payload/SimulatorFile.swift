/// The key by which `xcrun simctl push` finds the app.
let simulatorBundleKey = "Simulator Target Bundle"

/// Why a payload cannot be given to the simulator.
public enum SimulatorFileFailure: Error, Sendable, Equatable {
  /// `bytes` is the size without indentation, and with the bundle's identifier where there is one.
  case tooLarge(bytes: Int, limit: Int)

  /// A sentence for people.
  public var message: String {
    switch self {
    case .tooLarge(let bytes, let limit):
      "the file would have \(bytes) bytes, as short as it can be written; the simulator takes at most \(limit)"
    }
  }
}

extension Payload {
  /// An `.apns` file for `xcrun simctl push booted FILE`: the payload, and the app that gets it.
  ///
  /// Such a push shows texts and buttons; service extensions are not run for it (Xcode 11.4 release notes), and VoIP pushes
  /// are not known to it.
  ///
  /// It is indented where that leaves it below the simulator's limit of 4,096 bytes, which counts the whole file to be
  /// safe.
  /// - Parameter bundle: the app's bundle identifier, such as `com.example.app`; without it, `simctl push` has to be told.
  public func simulatorFile(bundle: String?) throws(SimulatorFileFailure) -> [UInt8] {
    let limit = PayloadLimit.notification.bytes
    var members = json.asObject ?? [:]
    if let bundle { members[simulatorBundleKey] = .string(bundle) }
    let file = JSONValue.object(members)
    for bytes in [file.utf8(indented: true) + [UInt8(ascii: "\n")], file.utf8()] where bytes.count <= limit {
      return bytes
    }
    throw .tooLarge(bytes: file.utf8().count, limit: limit)
  }
}
