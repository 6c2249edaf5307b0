import Glibc
import Preparation
import RichPush
import Testing

@testable import Media

/// What became of a fixture: the description and the open file.
struct PreparedImage {
  let file: PreparedFile
  let output: TimelineFixture

  /// Inspects, plans, prepares and verifies.
  /// - Parameter path: below Fixtures/media.
  init(_ path: String, fit: PreparationOptions.Fit = .inside, change: (inout Recipe) -> Void = { _ in }) throws {
    try self.init(try TimelineFixture(path), fit: fit, change: change)
  }

  init(
    _ fixture: TimelineFixture, fit: PreparationOptions.Fit = .inside, change: (inout Recipe) -> Void = { _ in }
  ) throws {
    let output = try TimelineFixture()
    file = try fixture.use { source in
      let facts = try inspect(source, .usual)
      var recipe: Recipe
      switch plan(facts, options: PreparationOptions(fit: fit)) {
      case .reject(let reason): throw reason
      case .prepare(let planned): recipe = planned
      }
      change(&recipe)
      return try prepare(source, into: output.descriptor, PrepareRequest(facts: facts, recipe: recipe))
    }
    self.output = output
    try output.use { [file] in try verify($0, VerifyRequest(expected: file)) }
  }

  var bytes: [UInt8] {
    get throws { try output.use { $0.bytes(at: 0, count: $0.bytes) } }
  }

  func pixels() throws -> Samples {
    let loader: VipsLoader = file.type == .jpeg ? .jpeg(shrink: 1) : file.type == .png ? .png : .gif(allFrames: false)
    return try output.use { try Samples(try VipsPicture(loading: $0, with: loader)) }
  }

  /// All frames of an animation.
  func frames() throws -> [Samples] {
    try output.use { file in
      let decoder: ImageFacts.Decoder =
        if case .image(let facts) = try inspect(file, .usual).content { facts.decoder } else { .vips }
      let frames = try AnimationFrames(file, format: .gif, decoder: decoder, at: .verify)
      var result: [Samples] = []
      while let frame = try frames.next() { result.append(try Samples(frame)) }
      return result
    }
  }
}

extension TimelineFixture {
  /// Works with the open file, which stays open until the end.
  func use<Result>(_ body: (MediaFile) throws -> Result) throws -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(try file)
  }
}

/// A decoded picture that can be looked at pixel by pixel.
struct Samples: Equatable {
  let width: Int
  let height: Int
  /// RGBA.
  let bytes: [UInt8]

  init(_ picture: borrowing VipsPicture) throws {
    let pixels = try picture.asRGBA().pixels()
    (width, height) = (pixels.width, pixels.height)
    bytes = Array(pixels.bytes)
  }

  subscript(x: Int, y: Int) -> [Int] {
    let start = (y * width + x) * 4
    return bytes[start..<start + 4].map(Int.init)
  }

  /// Whether a pixel has a colour, more or less.
  func shows(_ colour: [Int], at x: Int, _ y: Int, within tolerance: Int = 12) -> Bool {
    zip(self[x, y], colour).allSatisfy { abs($0 - $1) <= tolerance }
  }

  /// Equal where anything can be seen: what a transparent pixel's colour is does not matter.
  func looksLike(_ other: Samples, within tolerance: Int = 0) -> Bool {
    guard (width, height) == (other.width, other.height) else { return false }
    return stride(from: 0, to: bytes.count, by: 4).allSatisfy { start in
      let (own, wanted) = (bytes[start..<start + 4].map(Int.init), other.bytes[start..<start + 4].map(Int.init))
      return own[3] == 0 && wanted[3] == 0 || zip(own, wanted).allSatisfy { abs($0 - $1) <= tolerance }
    }
  }

  /// The corners of the test card, clockwise from the top left.
  var hasCardCorners: Bool {
    let inset = min(width, height) / 8
    return shows([255, 0, 0], at: inset, inset) && shows([0, 255, 0], at: width - inset, inset)
      && shows([255, 255, 255], at: width - inset, height - inset) && shows([0, 0, 255], at: inset, height - inset)
  }
}

extension InspectRequest {
  static let usual = InspectRequest(enoughSeconds: 31, enoughFrames: 2000)
}

/// The facts of a fixture that is a picture.
func imageFacts(_ path: String) throws -> (image: ImageFacts, all: MediaFacts) {
  let facts = try TimelineFixture(path).use { try inspect($0, .usual) }
  guard case .image(let image) = facts.content else { throw NotThatKind() }
  return (image, facts)
}

/// Why a fixture is refused, in whatever stage; nil when it becomes an attachment.
func refusalOf(_ path: String) throws -> Rejection.Reason? {
  try refusal { _ = try PreparedImage(path) }
}
