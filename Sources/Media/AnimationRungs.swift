import Preparation

extension AnimationRecipe.Rung {
  var name: String {
    "\(width)x\(height) in \(colours) colours\(frameStep > 1 ? ", every \(ordinal(frameStep)) frame" : "")"
  }

  /// The delays of the frames that are kept: each lasts as long as those it stands for.
  func delays(of all: [Int]) -> [Int] {
    stride(from: 0, to: all.count, by: frameStep).map { start in
      all[start..<min(start + frameStep, all.count)].reduce(0, +)
    }
  }

  /// A guess from what another rung would have had. Size follows pixels; fewer colours spare about a third.
  func likelyBytes(from other: (bytes: Int, rung: AnimationRecipe.Rung)) -> Int {
    let pixels = Double(width * height) / Double(other.rung.width * other.rung.height)
    let frames = Double(other.rung.frameStep) / Double(frameStep)
    let palette = colours < other.rung.colours ? 0.65 : 1
    return Int(Double(other.bytes) * pixels * frames * palette)
  }

  func steps(_ image: ImageFacts, _ recipe: AnimationRecipe) -> [String] {
    var steps: [String] = []
    if recipe.crops {
      steps.append("cropped and resized \(image.width)x\(image.height) to \(width)x\(height)")
    } else if (width, height) != (image.width, image.height) {
      steps.append("resized \(image.width)x\(image.height) to \(width)x\(height)")
    }
    if frameStep > 1 { steps.append("kept every \(ordinal(frameStep)) of \(image.frames) frames") }
    steps.append("encoded gif in \(colours) colours")
    return steps
  }

  /// What was lost beyond the size that every attachment has to have.
  func reductions(_ image: ImageFacts, _ recipe: AnimationRecipe) -> [String] {
    let limit = "to fit \(megabytes(recipe.maximumBytes))"
    var reductions: [String] = []
    if (width, height) != (recipe.still.width, recipe.still.height) {
      reductions.append("reduced from \(recipe.still.width)x\(recipe.still.height) to \(width)x\(height) \(limit)")
    }
    if colours < 256 { reductions.append("reduced to \(colours) colours \(limit)") }
    if frameStep > 1 {
      let kept = (image.frames + frameStep - 1) / frameStep
      reductions.append("dropped \(image.frames - kept) of \(image.frames) frames \(limit)")
    }
    return reductions
  }
}

private func ordinal(_ number: Int) -> String {
  switch number {
  case 2: "2nd"
  case 3: "3rd"
  default: "\(number)th"
  }
}

/// A number of bytes for people, in decimal megabytes.
func megabytes(_ bytes: Int) -> String {
  let tenths = (bytes + 50_000) / 100_000
  return tenths % 10 == 0 ? "\(tenths / 10) MB" : "\(tenths / 10).\(tenths % 10) MB"
}
