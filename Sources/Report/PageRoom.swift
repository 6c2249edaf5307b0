/// How large a file may be to be put into the page, so that the page stays one that a browser can open.
///
/// There is one limit for each use, the same for all jobs: which of them come first says nothing about which matter.
/// Pictures that notifications show go before clips and sounds, and those before what sources looked like.
package struct PageRoom: Sendable, Equatable {
  /// What a file of a job is for, in the order in which they get room.
  package enum Use: Sendable, CaseIterable {
    case picture, clip, source
  }

  /// What all files may have together, in bytes, before base64 makes four of three.
  package static let total = 48_000_000
  /// What one file may have at most, in bytes: it is in memory as a whole while its card is written.
  package static let largestFile = 16_000_000

  /// In bytes; 0 for nothing at all.
  private var limits: [Use: Int] = [:]
  private var haveNoRoom: Set<Use> = []

  /// - Parameter files: all that would be shown, in bytes; once for each time that it stands in the page.
  package init(for files: [(use: Use, bytes: Int)], total: Int = total, largestFile: Int = largestFile) {
    var left = total
    for use in Use.allCases {
      var rest = files.filter { $0.use == use && $0.bytes <= largestFile }.map(\.bytes).sorted()[...]
      var limit = 0
      // Of those that are equally large all are taken, or none.
      while let size = rest.first {
        let count = rest.prefix { $0 == size }.count
        guard count * size <= left else { break }
        (limit, left, rest) = (size, left - count * size, rest.dropFirst(count))
      }
      limits[use] = limit
      if files.contains(where: { $0.use == use && $0.bytes > limit }) { haveNoRoom.insert(use) }
    }
  }

  /// What the page does not have, for people: `pictures above 41 kB, all sources`. nil when it has everything.
  package var omissions: String? {
    let parts = Use.allCases.filter(haveNoRoom.contains).map { use in
      let limit = limits[use] ?? 0
      return limit == 0 ? "all \(use.plural)" : "\(use.plural) above \(readableBytes(limit))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  package func has(_ bytes: Int, for use: Use) -> Bool {
    bytes <= limits[use] ?? 0
  }
}

extension PageRoom.Use {
  fileprivate var plural: String {
    switch self {
    case .picture: "pictures"
    case .clip: "videos and sounds"
    case .source: "sources"
    }
  }
}
