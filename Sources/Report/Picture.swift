import RichPush

/// A prepared image that a card shows several times. SVG lets all of them share the one that is in the page.
struct Picture {
  private let id: String
  private let width: Int
  private let height: Int

  /// - Parameter job: the number of the card, which shares one image.
  init(_ asset: Asset, job: Int) {
    id = "picture-\(job)"
    // Images always have their sizes; a manifest that someone else wrote may not.
    width = asset.width ?? 1024
    height = asset.height ?? 1024
  }

  /// As wide as there is room.
  /// - Parameter label: for those who do not see it, as HTML.
  func whole(_ media: ReportMedia, label: String) -> String {
    """
    <svg class="medium" role="img" aria-label="\(label)" viewBox="\(box)">\
    <image id="\(id)" width="\(width)" height="\(height)" href="\(media.address)"/></svg>
    """
  }

  /// A square cut out of its middle.
  var small: String {
    """
    <svg class="thumbnail" aria-hidden="true" viewBox="\(box)" preserveAspectRatio="xMidYMid slice">\
    <use href="#\(id)"/></svg>
    """
  }

  /// In its own size at most.
  func again(label: String) -> String {
    """
    <svg class="copy" role="img" aria-label="\(label)" viewBox="\(box)" style="max-width:\(width)px"><use href="#\(id)"/></svg>
    """
  }

  private var box: String { "0 0 \(width) \(height)" }
}
