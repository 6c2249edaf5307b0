import Preparation
import RichPush
import Testing

@Suite("stills") struct PlanStillTests {
  @Test(
    "a picture fits inside 1024 by 1024 pixels and is never enlarged",
    arguments: [
      (4032, 3024, 1024, 768), (3024, 4032, 768, 1024), (1024, 1024, 1024, 1024), (1025, 1025, 1024, 1024),
      (1024, 1, 1024, 1), (1, 1, 1, 1), (800, 600, 800, 600), (1025, 600, 1024, 599), (10_000, 1, 1024, 1),
      (1, 10_000, 1, 1024), (2048, 3, 1024, 2), (2048, 1, 1024, 1), (1080, 1920, 576, 1024), (100_000_000, 1, 1024, 1),
    ])
  func fitsInside(width: Int, height: Int, fittedWidth: Int, fittedHeight: Int) {
    let recipe = plan(photo(width, height)).still
    #expect(recipe?.width == fittedWidth)
    #expect(recipe?.height == fittedHeight)
    #expect(recipe?.crops == false)
    #expect(recipe?.quality == 80)
    #expect(recipe?.maximumBytes == 10_000_000)
  }

  @Test(
    "covering cuts the largest square out of a picture, never enlarged",
    arguments: [
      (4032, 3024, 1024, true), (3024, 4032, 1024, true), (800, 600, 600, true), (2000, 500, 500, true),
      (1024, 1024, 1024, false), (2000, 2000, 1024, false), (300, 300, 300, false), (1, 10_000, 1, true),
    ])
  func covers(width: Int, height: Int, side: Int, crops: Bool) {
    let recipe = plan(photo(width, height), options: PreparationOptions(fit: .cover)).still
    #expect(recipe?.width == side)
    #expect(recipe?.height == side)
    #expect(recipe?.crops == crops)
  }

  @Test("pictures on their side are planned upright", arguments: 1...8)
  func turns(orientation: Int) {
    let recipe = plan(photo(4000, 3000) { $0.orientation = orientation }).still
    #expect(recipe?.width == (orientation < 5 ? 1024 : 768))
    #expect(recipe?.height == (orientation < 5 ? 768 : 1024))
  }

  @Test("a JPEG that needs no new pixels may keep its coefficients")
  func keepsCoefficients() {
    #expect(plan(photo(1024, 768)).still?.keepsCoefficients == true)
    #expect(plan(photo(800, 600) { $0.colour = .grey }).still?.keepsCoefficients == true)
    #expect(plan(photo(600, 600), options: PreparationOptions(fit: .cover)).still?.keepsCoefficients == true)
    // Turning by right angles moves coefficients about; where that does not come out even, the file is decoded.
    for orientation in 1...8 {
      #expect(plan(photo(800, 600) { $0.orientation = orientation }).still?.keepsCoefficients == true)
    }
  }

  @Test(
    "a picture that needs new pixels is decoded",
    arguments: [
      ("too large", photo(1025, 768)),
      ("a PNG", photo(format: .png)),
      ("CMYK", photo { $0.colour = .cmyk }),
      ("12 bits", photo { $0.bitsPerChannel = 12 }),
      ("other colours", photo { $0.hasColourProfile = true }),
    ])
  func decodes(name: String, facts: MediaFacts) {
    #expect(plan(facts).still?.keepsCoefficients == false, "\(name)")
  }

  @Test("a picture to be cut is decoded")
  func decodesCut() {
    #expect(plan(photo(800, 600), options: PreparationOptions(fit: .cover)).still?.keepsCoefficients == false)
  }

  @Test("an animation of one frame is a still", arguments: [0, 1])
  func isStill(frames: Int) {
    #expect(plan(animation(frames: frames)).still != nil)
  }
}

@Suite("animations") struct PlanAnimationTests {
  @Test(
    "a frame is shown as long as viewers show it, within what a GIF can say",
    arguments: [
      (-5, 100), (0, 100), (10, 100), (11, 20), (19, 20), (20, 20), (30, 30), (100, 100), (655_350, 655_350),
      (16_777_215, 655_350),
    ])
  func correctsDelay(stored: Int, shown: Int) {
    #expect(plan(animation(frames: 3) { $0.delays = [50, stored, 70] }).animation?.delays == [50, shown, 70])
  }

  @Test("every frame has a delay", arguments: [[], [50], [50, 60, 70], [50, 60, 70, 80, 90]])
  func countsDelays(delays: [Int]) {
    let shown = plan(animation(frames: 3) { $0.delays = delays }).animation?.delays
    #expect(shown == Array((delays + [100, 100, 100]).prefix(3)))
  }

  @Test(
    "an animation plays as often as it said, within what a GIF can say",
    arguments: [(nil, 1), (0, 0), (1, 1), (7, 7), (65_535, 65_535), (100_000, 65_535), (-1, 0)] as [(Int?, Int)])
  func keepsPlays(stored: Int?, plays: Int) {
    #expect(plan(animation { $0.plays = stored }).animation?.plays == plays)
  }

  @Test("a GIF that fits keeps its frames")
  func keepsFrames() {
    #expect(plan(animation(bytes: 10_000_000)).animation?.keepsFrames == true)
    #expect(plan(animation(1000, 1000, frames: 160)).animation?.keepsFrames == true)
  }

  @Test(
    "an animation that does not fit is encoded",
    arguments: [
      ("bytes", animation(bytes: 10_000_001)),
      ("size", animation(1025, 100)),
      ("pixels of all frames", animation(1000, 1000, frames: 161)),
      ("format", animation(format: .webp)),
    ])
  func encodes(name: String, facts: MediaFacts) {
    #expect(plan(facts).animation?.keepsFrames == false, "\(name)")
  }

  @Test("an animation to be cut is encoded as squares")
  func covers() {
    let recipe = plan(animation(200, 100), options: PreparationOptions(fit: .cover)).animation
    #expect(recipe?.keepsFrames == false)
    #expect(recipe?.crops == true)
    #expect(recipe?.rungs.first == AnimationRecipe.Rung(width: 100, height: 100, colours: 256, frameStep: 1))
  }

  @Test("the ladder makes pictures smaller, then colours fewer, then frames")
  func descends() {
    let recipe = plan(animation(2048, 1024, frames: 10, format: .webp)).animation
    #expect(
      recipe?.rungs == [
        AnimationRecipe.Rung(width: 1024, height: 512, colours: 256, frameStep: 1),
        AnimationRecipe.Rung(width: 768, height: 384, colours: 256, frameStep: 1),
        AnimationRecipe.Rung(width: 512, height: 256, colours: 256, frameStep: 1),
        AnimationRecipe.Rung(width: 512, height: 256, colours: 64, frameStep: 1),
        AnimationRecipe.Rung(width: 512, height: 256, colours: 64, frameStep: 2),
        AnimationRecipe.Rung(width: 384, height: 192, colours: 32, frameStep: 2),
        AnimationRecipe.Rung(width: 256, height: 128, colours: 32, frameStep: 4),
      ])
    #expect(recipe?.still.width == 1024)
    #expect(recipe?.maximumBytes == 10_000_000)
  }

  @Test(
    "rungs of too many pixels are left out",
    arguments: [
      // 80 million pixels: 76 frames of 1024×1024, 135 of 768×768, 305 of 512×512 …
      (76, 7), (77, 6), (135, 6), (136, 5), (305, 5), (306, 3), (610, 3), (611, 2), (1084, 2), (1085, 1), (2000, 1),
    ])
  func leavesOutRungs(frames: Int, rungs: Int) {
    let recipe = plan(animation(1024, 1024, frames: frames, format: .webp)).animation
    #expect(recipe?.rungs.count == rungs)
    for rung in recipe?.rungs ?? [] {
      let kept = (frames + rung.frameStep - 1) / rung.frameStep
      #expect(rung.width * rung.height * kept <= Profile.ios.maximumEncodedPixels)
    }
  }

  @Test("rungs never lose a side")
  func keepsSides() {
    let recipe = plan(animation(1, 1024, format: .webp)).animation
    #expect(recipe?.rungs.allSatisfy { $0.width == 1 && $0.height >= 256 } == true)
  }
}
