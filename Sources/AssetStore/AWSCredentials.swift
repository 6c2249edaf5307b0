/// An access key with its secret, and for temporary ones the token that goes with them. Never to be printed.
struct AWSCredentials: Sendable, Equatable {
  var accessKey: String
  var secretKey: String
  var sessionToken: String?
}

/// Sections of `key = value` lines, as in AWS's credentials and config files: `#` and `;` begin a comment line.
struct AWSProfiles: Sendable {
  private var sections: [String: [String: String]] = [:]

  init(_ text: String) {
    var section: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        let name = line[line.index(after: line.startIndex)..<end].trimmed
        // The config file writes [profile name], the credentials file [name].
        section = name.hasPrefix("profile ") ? String(name.dropFirst("profile ".count).trimmed) : String(name)
        if let section, sections[section] == nil { sections[section] = [:] }
      } else if let section, let equals = line.firstIndex(of: "=") {
        let key = line[..<equals].trimmed.lowercased()
        sections[section]?[key] = String(line[line.index(after: equals)...].trimmed)
      }
    }
  }

  func has(_ profile: String) -> Bool { sections[profile] != nil }

  /// A profile's value; nil where there is none, or it is empty.
  func value(_ key: String, of profile: String) -> String? {
    sections[profile]?[key].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What is missing of a profile's credentials, or these.
  func credentials(of profile: String) -> Result<AWSCredentials, MissingPart> {
    guard has(profile) else { return .failure(MissingPart(name: "no profile [\(profile)]")) }
    guard let accessKey = value("aws_access_key_id", of: profile) else {
      return .failure(MissingPart(name: "no aws_access_key_id in the profile [\(profile)]"))
    }
    guard let secretKey = value("aws_secret_access_key", of: profile) else {
      return .failure(MissingPart(name: "no aws_secret_access_key in the profile [\(profile)]"))
    }
    return .success(
      AWSCredentials(
        accessKey: accessKey, secretKey: secretKey, sessionToken: value("aws_session_token", of: profile)))
  }

  struct MissingPart: Error {
    let name: String
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let inner = drop(while: \.isWhitespace)
    guard let last = inner.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return inner[...last]
  }
}
