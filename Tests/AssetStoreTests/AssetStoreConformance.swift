import AssetStore
import Digest
import Glibc
import RichPush
import Testing

/// A store to be tested, and a way around it to see what it keeps.
struct StoreUnderTest: Sendable {
  var store: any AssetStore
  /// The content at a location, read as a reader outside of the process would; nil when nothing is there.
  var content: @Sendable (_ location: String) async throws -> [UInt8]?
  /// Everything that is stored below a folder, by location.
  var locations: @Sendable (_ folder: String) async throws -> [String]
}

/// What every driver has to do. A driver's tests run each case on a fresh store of theirs.
enum AssetStoreConformance: String, CaseIterable, CustomTestStringConvertible {
  case filesUnderTheirContent = "an asset is filed under the hash of its content, with the extension of its type"
  case keepsOneOfEqualAssets = "the same content stored twice is one asset"
  case keepsTypesApart = "the same content as two types is two assets"
  case findsWhatItStored = "it has an asset of that size at that location, and no other"
  case findsNothingElsewhere = "a location that is none is not there"
  case forgetsUnstoredWork = "a work file that is not stored leaves nothing"
  case refusesEmptyAssets = "an empty file is refused"
  case refusesToStoreTwice = "a work file that was stored cannot be stored again"
  case returnsManifests = "a manifest comes back as it was stored, and the newest counts"
  case hasNoUnknownManifest = "there is no manifest of an unknown job"
  case keepsIdsApart = "ids that look alike have manifests of their own"
  case refusesAnEmptyId = "an empty id is refused"
  case takesLargeAssets = "an asset of fifty megabytes is stored whole"
  case worksConcurrently = "many tasks store at once"

  var testDescription: String { rawValue }

  func check(_ test: StoreUnderTest) async throws {
    switch self {
    case .filesUnderTheirContent: try await checkFiling(test)
    case .keepsOneOfEqualAssets: try await checkEqualAssets(test)
    case .keepsTypesApart: try await checkTypes(test)
    case .findsWhatItStored: try await checkFinding(test)
    case .findsNothingElsewhere: try await checkOtherLocations(test)
    case .forgetsUnstoredWork: try await checkUnstoredWork(test)
    case .refusesEmptyAssets: try await checkEmptyAsset(test)
    case .refusesToStoreTwice: try await checkStoringTwice(test)
    case .returnsManifests: try await checkManifests(test)
    case .hasNoUnknownManifest: #expect(try await test.store.manifest(id: "unknown") == nil)
    case .keepsIdsApart: try await checkIds(test)
    case .refusesAnEmptyId: try await checkEmptyId(test)
    case .takesLargeAssets: try await checkLargeAsset(test)
    case .worksConcurrently: try await checkConcurrency(test)
    }
  }
}

/// Stores some content, as the media plane and the pipeline do together.
func storeAsset(_ content: [UInt8], as type: AttachmentType, in store: any AssetStore) async throws -> StoredAsset {
  let file = try await store.makeWorkFile()
  try fill(file, with: content)
  return try await store.storeAsset(file, as: type)
}

func fill(_ file: WorkFile, with content: [UInt8]) throws {
  var offset = 0
  while offset < content.count {
    let count = content[offset...].withUnsafeBytes { write(file.descriptor, $0.baseAddress, $0.count) }
    try #require(count > 0, "write: \(String(cString: strerror(errno)))")
    offset += count
  }
}

private func checkFiling(_ test: StoreUnderTest) async throws {
  for type in AttachmentType.allCases {
    let content = Array("an asset of type \(type.rawValue)".utf8)
    let asset = try await storeAsset(content, as: type, in: test.store)
    let hash = sha256(of: content)
    #expect(asset.location == "assets/\(hash.prefix(2))/\(hash).\(type.fileExtension)")
    #expect(asset.sha256 == hash)
    #expect(asset.bytes == content.count)
    #expect(try await test.content(asset.location) == content)
  }
  #expect(try await test.locations("assets").count == AttachmentType.allCases.count)
}

private func checkEqualAssets(_ test: StoreUnderTest) async throws {
  let first = try await storeAsset([1, 2, 3], as: .gif, in: test.store)
  let second = try await storeAsset([1, 2, 3], as: .gif, in: test.store)
  #expect(first == second)
  #expect(try await test.locations("assets") == [first.location])
}

private func checkTypes(_ test: StoreUnderTest) async throws {
  let mpeg4 = try await storeAsset([1], as: .mpeg4, in: test.store)
  let audio = try await storeAsset([1], as: .mpeg4Audio, in: test.store)
  #expect(mpeg4.sha256 == audio.sha256)
  #expect(try await test.locations("assets").sorted() == [mpeg4.location, audio.location].sorted())
}

private func checkFinding(_ test: StoreUnderTest) async throws {
  let asset = try await storeAsset([1, 2, 3], as: .jpeg, in: test.store)
  #expect(await test.store.hasAsset(at: asset.location, bytes: 3))
  #expect(await !test.store.hasAsset(at: asset.location, bytes: 4))
  let other = String(repeating: "0", count: 64)
  #expect(await !test.store.hasAsset(at: "assets/00/\(other).jpg", bytes: 3))
}

private func checkOtherLocations(_ test: StoreUnderTest) async throws {
  _ = try await test.store.storeManifest([1, 2, 3], id: "a")
  let hash = String(repeating: "0", count: 64)
  let others = [
    "", "/", "assets", "manifests/a.json", "assets/../manifests/a.json", "../assets/00/\(hash).jpg",
    "assets/01/\(hash).jpg", "assets/00/\(hash).exe", "assets/00/\(hash)", "assets//\(hash).jpg", "/etc/passwd",
    "assets/00/\(hash.dropLast())A.jpg", "assets/00/\(hash).jpg/",
  ]
  for location in others {
    #expect(await !test.store.hasAsset(at: location, bytes: 3), "\(location)")
    #expect(AssetLocation(location) == nil, "\(location)")
  }
}

private func checkUnstoredWork(_ test: StoreUnderTest) async throws {
  for _ in 0..<3 {
    try fill(try await test.store.makeWorkFile(), with: [1, 2, 3])
  }
  #expect(try await test.locations("").isEmpty)
}

private func checkEmptyAsset(_ test: StoreUnderTest) async throws {
  let reason = await #expect(throws: Rejection.Reason.self) { try await storeAsset([], as: .jpeg, in: test.store) }
  #expect(reason?.code == .storeFailed)
  #expect(reason?.permanent == true)
  #expect(try await test.locations("").isEmpty)
}

private func checkStoringTwice(_ test: StoreUnderTest) async throws {
  let file = try await test.store.makeWorkFile()
  try fill(file, with: [1])
  let asset = try await test.store.storeAsset(file, as: .jpeg)
  await #expect(throws: Rejection.Reason.self) { try await test.store.storeAsset(file, as: .png) }
  #expect(try await test.locations("assets") == [asset.location])
}

private func checkManifests(_ test: StoreUnderTest) async throws {
  let first = Array(#"{"id":"order-1"}"#.utf8)
  let second = Array(#"{"id":"order-1","status":"ready"}"#.utf8)
  #expect(try await test.store.storeManifest(first, id: "order-1") == "manifests/order-1.json")
  #expect(try await test.store.manifest(id: "order-1") == first)
  #expect(try await test.store.storeManifest(second, id: "order-1") == "manifests/order-1.json")
  #expect(try await test.store.manifest(id: "order-1") == second)
  #expect(try await test.content("manifests/order-1.json") == second)
  #expect(try await test.locations("manifests") == ["manifests/order-1.json"])
}

private func checkIds(_ test: StoreUnderTest) async throws {
  let long = String(repeating: "long/", count: 100)
  let ids = [
    "a", "A", "a/b", "a%2Fb", "a%252Fb", ".", "..", "%2E", "a\n", "a ", "é", "e\u{301}", "\u{0}", "../a", "~", "🙂",
    long,
    long + "1", manifestName(ofJob: long),
  ]
  for id in ids {
    _ = try await test.store.storeManifest(Array(id.utf8), id: id)
  }
  for id in ids {
    #expect(try await test.store.manifest(id: id) == Array(id.utf8), "\(id.debugDescription)")
  }
  #expect(try await test.locations("").count == ids.count)
}

private func checkEmptyId(_ test: StoreUnderTest) async throws {
  let reason = await #expect(throws: Rejection.Reason.self) { try await test.store.storeManifest([1], id: "") }
  #expect(reason?.code == .invalidJob)
  #expect(try await test.locations("").isEmpty)
}

private func checkLargeAsset(_ test: StoreUnderTest) async throws {
  var content: [UInt8] = []
  for block in 0..<50 {
    content += [UInt8](repeating: UInt8(block), count: 1_000_000)
  }
  let asset = try await storeAsset(content, as: .mpeg4, in: test.store)
  #expect(asset.bytes == content.count)
  let stored = try #require(try await test.content(asset.location))
  #expect(stored.count == content.count)
  #expect(sha256(of: stored) == sha256(of: content))
  #expect(asset.sha256 == sha256(of: content))
}

/// Half of the assets are the same for all, so that tasks meet at one location.
private func checkConcurrency(_ test: StoreUnderTest) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for task in 0..<16 {
      group.addTask {
        for number in 0..<8 {
          let content = Array(number % 2 == 0 ? "\(number)".utf8 : "\(task) \(number)".utf8)
          let asset = try await storeAsset(content, as: .jpeg, in: test.store)
          _ = try await test.store.storeManifest(Array(asset.location.utf8), id: "\(task)/\(number)")
        }
      }
    }
    try await group.waitForAll()
  }
  let manifests = try await test.locations("manifests")
  #expect(manifests.count == 128)
  for manifest in manifests {
    let location = String(decoding: try #require(try await test.content(manifest)), as: UTF8.self)
    #expect(try await test.content(location) != nil, "\(location)")
  }
  #expect(try await test.locations("assets").count == 4 + 16 * 4)
}
