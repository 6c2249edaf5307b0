import RichPush

/// Sizes and times as people read them. The limits are in decimal megabytes, and so is everything here.
func readableBytes(_ bytes: Int) -> String {
  switch bytes {
  case ..<1000: "\(bytes) B"
  case ..<1_000_000: "\(tenths(of: Double(bytes) / 1000)) kB"
  default: "\(tenths(of: Double(bytes) / 1_000_000)) MB"
  }
}

func readableSeconds(_ seconds: Double) -> String {
  "\(tenths(of: seconds)) s"
}

/// With one decimal, unless that is 0.
func tenths(of value: Double) -> String {
  let number = Int(max(0, min(value, 1e12)) * 10 + 0.5)
  return number % 10 == 0 ? "\(number / 10)" : "\(number / 10).\(number % 10)"
}

func percentage(_ share: Double) -> String {
  share < 10 ? "\(tenths(of: share * 100))%" : "\(grouped(Int(min(share, 1e12) * 100 + 0.5)))%"
}

func grouped(_ number: Int) -> String {
  var digits = String(number)
  var groups: [String] = []
  while digits.count > 3 {
    groups.insert(String(digits.suffix(3)), at: 0)
    digits.removeLast(3)
  }
  return ([digits] + groups).joined(separator: ",")
}

/// A measure against its limit.
struct Bar {
  var label: String
  var measured: Double
  var limit: Double
  /// Both for people: `128.5 kB of 10 MB`.
  var text: String
  /// A file that was prepared never is, even if its length has the profile's grace of a frame.
  var canBeOver = true

  var html: String {
    // From 0 to 100; what is there at all can be seen.
    let share = limit > 0 ? min(100, max(0.5, measured / limit * 100)) : 100
    let mood = canBeOver && measured > limit ? " over" : share > 80 ? " near" : ""
    return """
      <div class="bar"><span class="bar-label">\(escaped(label))</span><span class="track\(mood)" aria-hidden="true">\
      <i style="width:\(tenths(of: share))%"></i></span><span class="bar-text">\(escaped(text))</span></div>
      """
  }
}

extension Attachment {
  /// What iOS and the profile limit.
  var bars: [Bar] {
    let limit = asset.type.kind.maximumAttachmentBytes
    var bars = [
      Bar(
        label: "\(identifier): file", measured: Double(asset.bytes), limit: Double(limit),
        text: "\(readableBytes(asset.bytes)) of \(readableBytes(limit))", canBeOver: false)
    ]
    if asset.type.kind == .video, let duration = asset.duration {
      // The profile's rule; Apple states none.
      bars.append(
        Bar(
          label: "\(identifier): length", measured: duration, limit: 30,
          text: "\(readableSeconds(duration)) of \(readableSeconds(30))", canBeOver: false))
    }
    return bars
  }
}

extension ReportEntry {
  var bars: [Bar] {
    let files = manifest.attachments.flatMap(\.bars)
    guard let payload = manifest.payload else { return files }
    let (size, limit) = (payload.utf8().count, payloadLimit.bytes)
    let bar = Bar(
      label: "payload", measured: Double(size), limit: Double(limit),
      text: "\(grouped(size)) of \(grouped(limit)) bytes")
    return files + [bar]
  }
}

extension Asset {
  /// `JPEG, 1024 × 768, 128.5 kB`.
  var summary: String {
    var parts = [type.displayName]
    if let width, let height { parts.append("\(width) × \(height)") }
    if let frames, frames > 1 { parts.append("\(frames) frames") }
    if let duration { parts.append(readableSeconds(duration)) }
    return (parts + [readableBytes(bytes)]).joined(separator: ", ")
  }
}

extension SourceDescription {
  var summary: String {
    var parts = [format]
    if let width, let height { parts.append("\(width) × \(height)") }
    if let duration { parts.append(readableSeconds(duration)) }
    return (parts + [readableBytes(bytes)]).joined(separator: ", ")
  }
}

extension AttachmentType {
  var displayName: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .gif: "GIF"
    case .mpeg4: "MP4"
    case .mp3: "MP3"
    case .mpeg4Audio: "M4A"
    case .wav: "WAV"
    case .aiff: "AIFF"
    }
  }
}
