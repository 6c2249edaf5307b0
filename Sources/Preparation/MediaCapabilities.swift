/// What a machine's media libraries can do.
package struct MediaCapabilities: Codable, Sendable, Equatable {
  package struct Library: Codable, Sendable, Equatable {
    package var name: String
    package var version: String

    package init(name: String, version: String) {
      self.name = name
      self.version = version
    }
  }

  /// One thing that is needed and may be missing.
  package struct Part: Codable, Sendable, Equatable {
    package enum Use: String, Codable, Sendable, CaseIterable {
      case read, write
    }

    /// What it is for, such as `HEVC video`.
    package var purpose: String
    /// What provides it, such as `hevc`, in the library's own words.
    package var name: String
    package var isThere: Bool
    /// The Debian package that brings it.
    package var package: String
    package var use: Use

    package init(purpose: String, name: String, isThere: Bool, package: String, use: Use) {
      self.purpose = purpose
      self.name = name
      self.isThere = isThere
      self.package = package
      self.use = use
    }
  }

  package var libraries: [Library]
  package var parts: [Part]

  package init(libraries: [Library], parts: [Part]) {
    self.libraries = libraries
    self.parts = parts
  }
}
