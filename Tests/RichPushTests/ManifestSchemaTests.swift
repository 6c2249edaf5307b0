import FoundationEssentials
import RichPush
import SchemaSupport
import Testing

/// The schema is written by hand, for its readers; these tests hold it against the Swift types at every level, in both
/// directions, so that neither can change alone.
@Suite struct ManifestSchemaTests {
  let schema: JSONSchema

  init() throws {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    schema = try JSONSchema(contentsOf: package.path + "/Sources/RichPush/manifest.schema.json")
  }

  @Test("the maximal manifest leaves nothing out")
  func maximalIsMaximal() {
    #expect(gaps(in: maximalManifest) == ["$.attachments.0.poster.duration"])
  }

  @Test("what the types encode is valid", arguments: [maximalManifest, minimalManifest])
  func validates(manifest: Manifest) throws {
    #expect(schema.faults(of: try JSONValue(encoding: manifest)) == [])
  }

  @Test("the schema's properties are the encoded keys, and those required are the ones always encoded")
  func describesKeys() throws {
    try compare(
      schema.root, maximal: JSONValue(encoding: maximalManifest), minimal: JSONValue(encoding: minimalManifest), at: "$"
    )
  }

  @Test("the schema's poster has the keys of an asset")
  func describesPosters() throws {
    var minimal = poster
    minimal.url = nil
    try compare(
      schema.root["$defs"]?.members["poster"]?.members ?? [:], maximal: JSONValue(encoding: poster),
      minimal: JSONValue(encoding: minimal), at: "poster")
  }

  /// - Parameters:
  ///   - maximal: a value with all keys.
  ///   - minimal: a value with only those keys that cannot be left out.
  private func compare(
    _ unresolved: [String: JSONValue], maximal: JSONValue, minimal: JSONValue, at place: String
  ) throws {
    let object = schema.resolved(unresolved)
    let properties = try #require(object["properties"]?.members, "\(place) has no properties")
    #expect(Set(properties.keys) == Set(maximal.members.keys), "properties of \(place)")
    #expect(Set(object["required"]?.elements.compactMap(\.text) ?? []) == Set(minimal.members.keys), "\(place)")
    #expect(object["additionalProperties"] == .bool(false), "\(place)")
    for (name, property) in properties {
      let inner = "\(place).\(name)"
      #expect(schema.resolved(property.members)["description"]?.text?.isEmpty == false, "\(inner) is not described")
      guard name != "payload", let all = maximal.members[name], let few = minimal.members[name] else { continue }
      if case .object = all {
        try compare(property.members, maximal: all, minimal: few, at: inner)
      } else if case .object = all.elements.first {
        try compare(
          property.members["items"]?.members ?? [:], maximal: try #require(all.elements.first),
          minimal: try #require(few.elements.first), at: "\(inner)[]")
      }
    }
  }

  @Test("the schema's choices are the types' cases")
  func describesChoices() {
    #expect(choices("status", of: nil) == Manifest.Status.allCases.map(\.rawValue))
    #expect(choices("code", of: "rejection") == Rejection.Code.allCases.map(\.rawValue))
    #expect(choices("stage", of: "rejection") == Rejection.Stage.allCases.map(\.rawValue))
    #expect(choices("code", of: "warning") == Warning.Code.allCases.map(\.rawValue))
    #expect(choices("kind", of: "attachment") == MediaKind.allCases.map(\.rawValue))
    #expect(choices("typeHint", of: "attachment") == AttachmentType.allCases.map(\.rawValue))
    #expect(choices("contentType", of: "attachment") == AttachmentType.allCases.map(\.contentType))
    #expect(choices("fileExtension", of: "attachment") == AttachmentType.allCases.map(\.fileExtension))
    #expect(schema.root["properties"]?.members["schema"]?.members["const"]?.text == Manifest.currentSchema)
    #expect(
      schema.root["properties"]?.members["attachments"]?.members["maxItems"]?.double
        == Double(maximumAttachmentsPerNotification))
  }

  /// The values of an enumeration, in order. Where they are a list of constants, each has to be described.
  private func choices(_ property: String, of definition: String?) -> [String] {
    let object = definition.map { schema.root["$defs"]?.members[$0]?.members ?? [:] } ?? schema.root
    let choice = object["properties"]?.members[property]?.members ?? [:]
    if let values = choice["enum"] { return values.elements.compactMap(\.text) }
    return choice["oneOf"]?.elements.compactMap { value in
      #expect(value.members["description"]?.text?.isEmpty == false, "\(value) is not described")
      return value.members["const"]?.text
    } ?? []
  }

  @Test("an attachment of any type is valid", arguments: AttachmentType.allCases)
  func acceptsEveryType(type: AttachmentType) throws {
    var manifest = minimalManifest
    manifest.attachments[0].asset.type = type
    manifest.attachments[0].asset.location = location(of: type)
    if type.kind == .video {
      manifest.attachments[0].poster = poster
      manifest.attachments[0].options.thumbnailTime = 0
    }
    #expect(schema.faults(of: try JSONValue(encoding: manifest)) == [])
  }

  @Test("a video without a poster, or without the moment that it shows, is not valid", arguments: [true, false])
  func requiresPosters(hasPoster: Bool) throws {
    var manifest = minimalManifest
    manifest.attachments[0].asset.type = .mpeg4
    manifest.attachments[0].asset.location = location(of: .mpeg4)
    if hasPoster { manifest.attachments[0].poster = poster } else { manifest.attachments[0].options.thumbnailTime = 1 }
    #expect(!schema.faults(of: try JSONValue(encoding: manifest)).isEmpty)
  }

  @Test(
    "what is not a manifest is not valid",
    arguments: [
      (["schema"], .string("enclosure.manifest/2")), (["id"], .string("")), (["id"], nil), (["extra"], .null),
      (["status"], .string("done")), (["preparedAt"], .string("yesterday")), (["payload"], .string("aps")),
      (["attachments", "bytes"], .integer(0)), (["attachments", "bytes"], .number(1.5)),
      (["attachments", "sha256"], .string("0")), (["attachments", "location"], .string("../x.jpg")),
      (["attachments", "contentType"], .string("image/png")), (["attachments", "width"], nil),
      (["attachments", "source", "format"], nil),
      (["attachments", "poster", "typeHint"], .string("public.png")), (["attachments", "poster", "bytes"], nil),
      (["attachments", "options", "thumbnailTime"], .integer(-1)),
      (["attachments", "options", "thumbnailHidden"], .integer(1)),
      (["attachments", "options", "thumbnailClippingRect", "X"], .number(1.5)),
      (["attachments", "options", "thumbnailClippingRect", "Width"], nil),
      (["rejections", "code"], .string("too_bad")), (["rejections", "limit"], .null), (["warnings", "code"], nil),
    ] as [([String], JSONValue?)])
  func refuses(path: [String], value: JSONValue?) throws {
    let manifest = replacing(path[...], with: value, in: try JSONValue(encoding: maximalManifest))
    #expect(!schema.faults(of: manifest).isEmpty)
  }

  /// Replaces the member at a path, going into the first element of arrays; nil removes it.
  private func replacing(_ path: ArraySlice<String>, with value: JSONValue?, in whole: JSONValue) -> JSONValue {
    guard let name = path.first else { return value ?? .null }
    if case .array(var elements) = whole {
      elements[0] = replacing(path, with: value, in: elements[0])
      return .array(elements)
    }
    var members = whole.members
    members[name] = path.count == 1 ? value : replacing(path.dropFirst(), with: value, in: members[name] ?? .null)
    return .object(members)
  }

  @Test("a manifest survives being encoded and decoded", arguments: [maximalManifest, minimalManifest])
  func roundTrips(manifest: Manifest) throws {
    #expect(try JSONDecoder().decode(Manifest.self, from: JSONEncoder().encode(manifest)) == manifest)
  }
}

/// The stored properties of a value, and of those within it, that are nil or empty lists.
private func gaps(in value: Any, at place: String = "$") -> [String] {
  if value is JSONValue { return [] }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional:
    guard let wrapped = mirror.children.first?.value else { return [place] }
    return gaps(in: wrapped, at: place)
  case .collection where mirror.children.isEmpty: return [place]
  case .collection, .struct:
    return mirror.children.enumerated().flatMap { index, child in
      gaps(in: child.value, at: "\(place).\(child.label ?? "\(index)")")
    }
  default: return []
  }
}
