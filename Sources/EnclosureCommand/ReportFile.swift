import FoundationEssentials
import Pipeline
import Report
import RichPush

/// Writes a page that shows what was prepared.
struct ReportFile {
  static let option = Syntax.Option("report", .one("FILE"), "write a page of HTML that shows each job as iOS would")

  /// What the help says about it.
  static let details = """
    --report writes one file that needs no network, once the work is done. It replaces an earlier report, but no other
    file. What would make it too large for a browser is described instead of shown.
    """

  private let place: ReportPlace
  /// The folder with what was prepared.
  private let store: FilePath
  private let registry: CategoryRegistry?
  private let payloadLimit: PayloadLimit

  /// - Parameters:
  ///   - store: nil where that is no folder.
  ///   - sources: the folder that is prepared: its files would be sources in the next run.
  ///   - excluded: folders inside it whose files are not.
  /// - Returns: nil when no report was asked for.
  /// - Throws: when it could not be written, or would harm what is there.
  init?(
    _ arguments: Arguments, store: FilePath?, sources: FilePath? = nil, excluded: [FilePath] = [],
    rules: NotificationRules = NotificationRules()
  ) throws(UsageError) {
    guard let name = arguments.bytes("report"), !name.isEmpty else { return nil }
    guard let store else {
      throw UsageError("--report shows the files of a folder; it does not work with --store s3://…")
    }
    place = try ReportPlace(FilePath(bytes: name), sources: sources, excluded: excluded)
    self.store = store
    registry = rules.registry
    payloadLimit = rules.options.limit
  }

  /// Writes the report of a batch.
  /// - Parameters:
  ///   - lines: those of the index, for all jobs.
  ///   - sources: the folder that was prepared; nil for URLs.
  func write(_ lines: [BatchIndex.Line], sources: FilePath?, title: String) throws(UnwritableFile) {
    let room = PageRoom(for: lines.flatMap(files(of:)))
    let entries = lines.lazy.map { entry(of: $0, in: room, source: sources?.appending(Array($0.id.utf8))) }
    try write(entries, tally: ReportTally(lines.map(\.status)), in: room, title: title)
  }

  /// Writes the report of a job.
  /// - Parameter sources: the files among its sources, by the attachment's identifier.
  func write(_ manifest: Manifest, sources: [String: FilePath]) throws(UnwritableFile) {
    let room = PageRoom(for: manifest.attachments.flatMap(files(of:)))
    let entry = entry(manifest, in: room) { sources[$0] }
    try write(CollectionOfOne(entry), tally: ReportTally([manifest.status]), in: room, title: manifest.id)
  }

  /// One card after the other, so that only one job's files are in memory.
  private func write(
    _ entries: some Sequence<ReportEntry>, tally: ReportTally, in room: PageRoom, title: String
  ) throws(UnwritableFile) {
    let page = ReportPage(
      title: title, tally: tally, preparedAt: Date.now.formatted(.iso8601), omissions: room.omissions)
    do throws(FileFailure) {
      let file = try place.open()
      try file.write(page.beginning)
      var number = 0
      for entry in entries {
        number += 1
        try file.write(page.card(entry, number: number))
      }
      try file.write(page.end)
      try place.replace(by: file)
    } catch {
      throw UnwritableFile(path: place.path, reason: "\(error.message); all but the report is done")
    }
    Console.error("The report is \(printable(place.path.description))\n")
  }

  private func entry(
    _ manifest: Manifest, in room: PageRoom, milliseconds: Int? = nil, source: (_ identifier: String) -> FilePath?
  ) -> ReportEntry {
    var entry = ReportEntry(
      name: manifest.id, manifest: manifest, category: category(of: manifest), milliseconds: milliseconds)
    entry.payloadLimit = payloadLimit
    for attachment in manifest.attachments {
      for asset in attachment.assets {
        if room.has(asset.bytes, for: asset.type.kind == .image ? .picture : .clip) {
          entry.media[asset.location] = media(store.appending(Array(asset.location.utf8)), asset.type.contentType)
        } else {
          entry.leftOut.insert(asset.location)
        }
      }
      guard attachment.asset.type.kind == .image, let type = attachment.source.browserContentType,
        let file = source(attachment.identifier)
      else { continue }
      if room.has(attachment.source.bytes, for: .source) {
        entry.sources[attachment.identifier] = media(file, type)
      } else {
        entry.sourcesLeftOut.insert(attachment.identifier)
      }
    }
    return entry
  }

  private func category(of manifest: Manifest) -> ReportEntry.Category {
    guard let registry else { return .unchecked }
    let name = manifest.payload?["aps"]?["category"]?.asString
    return name.flatMap { registry.category($0) }.map { .known($0) } ?? .unknown
  }

  private func media(_ file: FilePath, _ contentType: String) -> ReportMedia? {
    guard let bytes = try? contents(of: file, atMost: PageRoom.largestFile) else { return nil }
    return ReportMedia(contentType: contentType, bytes: bytes)
  }

  /// A job whose manifest cannot be read has a card that says so: none is passed over.
  private func entry(of line: BatchIndex.Line, in room: PageRoom, source: FilePath?) -> ReportEntry {
    var why = "it is no manifest"
    do throws(FileFailure) {
      let bytes = try contents(of: store.appending(Array(line.manifest.utf8)), atMost: 16 << 20)
      if let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(bytes)) {
        return entry(manifest, in: room, milliseconds: line.milliseconds) { _ in source }
      }
    } catch {
      why = error.message
    }
    var manifest = Manifest(id: line.id, preparedAt: "", attachments: [], rejections: [], warnings: [])
    manifest.status = line.status
    var entry = ReportEntry(name: line.id, manifest: manifest, milliseconds: line.milliseconds)
    entry.note = "\(line.manifest) cannot be shown: \(why)"
    return entry
  }

  /// What a job would have in the page.
  private func files(of line: BatchIndex.Line) -> [(use: PageRoom.Use, bytes: Int)] {
    let assets = line.assets.flatMap { location, bytes -> [(use: PageRoom.Use, bytes: Int)] in
      let isPicture = [".jpg", ".png", ".gif"].contains { location.hasSuffix($0) }
      return isPicture && line.kind != .image ? poster(bytes) : [(isPicture ? .picture : .clip, bytes)]
    }
    guard line.kind == .image, let bytes = line.bytes else { return assets }
    return assets + [(.source, bytes)]
  }

  private func files(of attachment: Attachment) -> [(use: PageRoom.Use, bytes: Int)] {
    let isImage = attachment.asset.type.kind == .image
    return [(isImage ? .picture : .clip, attachment.asset.bytes)]
      + (attachment.poster.map { poster($0.bytes) } ?? [])
      + (isImage ? [(.source, attachment.source.bytes)] : [])
  }

  /// A poster is shown compact and expanded.
  private func poster(_ bytes: Int) -> [(use: PageRoom.Use, bytes: Int)] {
    [(.picture, bytes), (.picture, bytes)]
  }
}

extension ReportTally {
  fileprivate init(_ verdicts: [Manifest.Status]) {
    self.init()
    for verdict in verdicts { count(verdict) }
  }
}
