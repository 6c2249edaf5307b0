import RichPush
import Testing

@testable import Preparation

@Suite("video that has to be encoded") struct PlanPictureTests {
  @Test(
    "what does not play on every iPhone is encoded as H.264",
    arguments: [
      clip { $0.picture.profile = "High 4:2:2" }, clip { $0.picture.profile = "" },
      clip { $0.picture.pixelFormat = "yuv420p10le" }, clip { $0.picture.pixelFormat = "" },
      clip { $0.picture.level = 51 }, clip { $0.picture.isInterlaced = true }, hevcClip { $0.profile = "Rext" },
      hevcClip { $0.pixelFormat = "yuv420p12le" }, hevcClip { $0.isInterlaced = true },
      clip(format: .webm) { $0.picture.codec = "vp9" }, clip { ($0.width, $0.height) = (2160, 3840) },
    ])
  func encodes(facts: MediaFacts) throws {
    let recipe = try #require(plan(facts).encode)
    #expect(recipe.type == .mpeg4 && recipe.maximumBytes == 50_000_000 && recipe.maximumSeconds == 30)
    #expect(recipe.picture?.stream == 1 && recipe.picture?.encoding != nil)
    // The sound can stay as it is.
    #expect(recipe.sound == SoundRecipe(stream: 0, .copy))
  }

  @Test("a copy that turns out not to be possible, or too large, is encoded instead")
  func otherwise() {
    #expect(plan(clip()).remux?.otherwise?.picture?.encoding != nil)
  }

  @Test("a copied picture beside a sound that is encoded stays as it is")
  func soundAlone() {
    #expect(plan(clip { $0.sound?.codec = "opus" }).encode?.picture?.treatment == .copy(tag: "avc1"))
  }

  @Test(
    "pictures become even, keep their shape, and are never enlarged",
    arguments: [
      (320, 180, 320, 180), (161, 91, 160, 90), (1, 1, 2, 2), (1920, 1080, 1920, 1080), (3840, 2160, 1920, 1080),
      (2160, 3840, 1080, 1920), (4096, 2160, 1920, 1012), (10_000, 10, 1920, 2), (1921, 1081, 1920, 1080),
      // Level 4.0 has 8192 macroblocks.
      (1920, 1920, 1440, 1440), (1600, 1300, 1584, 1288),
    ])
  func sizes(width: Int, height: Int, fitWidth: Int, fitHeight: Int) {
    let size = PictureEncoding.size(width, height, side: 1920)
    #expect(abs(size.width - fitWidth) <= 16 && abs(size.height - fitHeight) <= 16, "\(size)")
    #expect(size.width % 2 == 0 && size.height % 2 == 0 && max(size.width, size.height) <= 1920)
    #expect(((size.width + 15) / 16) * ((size.height + 15) / 16) <= 8192)
  }

  @Test("every rung stays below 50 MB by its rates alone", arguments: [0.04, 1, 10, 29.97, 30])
  func rates(seconds: Double) throws {
    for bitRate in [0, 128_000, 320_000] {
      let facts = clip(seconds: seconds) { video in
        video.picture.codec = "vp9"
        video.sound?.bitRate = bitRate
      }
      let rungs = try #require(plan(facts).encode?.picture?.encoding?.rungs)
      #expect(rungs.count == 3)
      for rung in rungs {
        let bits = Double(rung.maximumBitRate) * (seconds + 1) + Double(bitRate) * seconds
        #expect(bits / 8 < 50_000_000 && rung.maximumBitRate <= 20_000_000 && rung.maximumBitRate >= 1_000_000)
      }
      #expect(rungs.map(\.width) == rungs.map(\.width).sorted(by: >))
      #expect(rungs.map(\.rateFactor) == rungs.map(\.rateFactor).sorted())
    }
  }

  @Test("level 4.0 bounds pictures a second, and nothing shows more than 60")
  func frameRates() throws {
    func rate(_ width: Int, _ height: Int) throws -> Double {
      let facts = clip { video in
        (video.width, video.height, video.picture.codec) = (width, height, "vp9")
      }
      return try #require(plan(facts).encode?.picture?.encoding?.rungs.first).maximumFrameRate
    }
    #expect(try rate(1920, 1080) < 31 && rate(1920, 1080) >= 30)
    #expect(try rate(1280, 720) == 60)
    #expect(try rate(320, 180) == 60)
  }

  @Test("turns by right angles are baked in, others are left out")
  func turns() {
    func encoding(_ rotation: Int, _ isMirrored: Bool = false) -> PictureEncoding? {
      plan(
        clip { video in
          (video.rotation, video.isMirrored, video.picture.codec) = (rotation, isMirrored, "vp9")
        }
      ).encode?.picture?.encoding
    }
    for rotation in [0, 90, 180, 270] { #expect(encoding(rotation)?.rotation == rotation) }
    #expect(encoding(45)?.rotation == 0)
    #expect(encoding(90, true)?.isMirrored == true)
  }

  @Test("pictures of high dynamic range are mapped, interlaced ones deinterlaced")
  func treatments() {
    let hdr = clip { video in
      (video.picture.codec, video.picture.isHighDynamicRange) = ("vp9", true)
    }
    #expect(plan(hdr).encode?.picture?.encoding?.toneMaps == true)
    let interlaced = clip { $0.picture.isInterlaced = true }
    #expect(plan(interlaced).encode?.picture?.encoding?.deinterlaces == true)
    #expect(plan(interlaced).encode?.picture?.encoding?.toneMaps == false)
  }

  @Test("a picture that is copied beside encoded sound can still be encoded, should it not fit")
  func copyOrEncode() {
    let picture = plan(clip { $0.sound?.codec = "opus" }).encode?.picture
    #expect(picture?.treatment == .copy(tag: "avc1"))
    #expect(picture?.otherwise?.rungs.count == 3)
  }

  @Test("what encodes pictures is known, for it takes long")
  func takesLong() {
    guard case .prepare(let copied) = plan(clip { $0.sound?.codec = "opus" }),
      case .prepare(let encoded) = plan(clip { $0.picture.codec = "vp9" }), case .prepare(let still) = plan(photo())
    else {
      Issue.record("not prepared")
      return
    }
    // What is to be copied may turn out not to fit, or not to let itself be copied.
    #expect(encoded.encodesPictures && copied.encodesPictures && !still.encodesPictures)
  }
}

extension PictureRecipe {
  fileprivate var encoding: PictureEncoding? {
    if case .encode(let encoding) = treatment { encoding } else { nil }
  }
}
