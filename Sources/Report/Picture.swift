import RichPush

/// A prepared image that a card shows several times. SVG lets all of them share the one that is in the page.
struct Picture {
  private let id: String
  private let width: Int
  private let height: Int
  private let media: ReportMedia
  /// In its place where nothing may move.
  private let still: ReportMedia?
  /// What the thumbnail shows of it.
  private let thumbnailBox: String

  /// - Parameter job: the number of the card, which shares one image.
  init(_ attachment: Attachment, _ media: ReportMedia, job: Int) {
    let asset = attachment.asset
    self.media = media
    still = attachment.still(media)
    id = "picture-\(job)"
    thumbnailBox = attachment.thumbnailBox
    (width, height) = (asset.shownWidth, asset.shownHeight)
  }

  /// As wide as there is room.
  /// - Parameter label: for those who do not see it, as HTML.
  func whole(label: String) -> String {
    let size = "width=\"\(width)\" height=\"\(height)\""
    let held = still.map { "<image id=\"\(id)-still\" class=\"still\" \(size) href=\"\($0.address)\"/>" } ?? ""
    return """
      <svg class="medium" role="img" aria-label="\(label)" viewBox="\(box)">\
      <image id="\(id)"\(moving) \(size) href="\(media.address)"/>\(held)</svg>
      """
  }

  /// A square cut out of its middle, or of the part that the thumbnail is to show.
  var small: String {
    """
    <svg class="thumbnail" aria-hidden="true" viewBox="\(thumbnailBox)" preserveAspectRatio="xMidYMid slice">\
    \(copy)</svg>
    """
  }

  /// In its own size at most.
  func again(label: String) -> String {
    """
    <svg class="copy" role="img" aria-label="\(label)" viewBox="\(box)" style="max-width:\(width)px">\(copy)</svg>
    """
  }

  private var copy: String {
    "<use\(moving) href=\"#\(id)\"/>" + (still == nil ? "" : "<use class=\"still\" href=\"#\(id)-still\"/>")
  }

  private var moving: String { media.moves ? " class=\"moving\"" : "" }

  private var box: String { "0 0 \(width) \(height)" }
}

extension Asset {
  // Pictures always have their sizes; a manifest that someone else wrote may not.
  fileprivate var shownWidth: Int { width ?? 1024 }
  fileprivate var shownHeight: Int { height ?? 1024 }
}

extension Attachment {
  /// The `viewBox` of a thumbnail: the part of the picture that it shows.
  var thumbnailBox: String {
    let (width, height) = (asset.shownWidth, asset.shownHeight)
    guard let clip = options.thumbnailClippingRect else { return "0 0 \(width) \(height)" }
    let parts = [
      clip.x * Double(width), clip.y * Double(height), clip.width * Double(width), clip.height * Double(height),
    ]
    return parts.map(tenths).joined(separator: " ")
  }
}
