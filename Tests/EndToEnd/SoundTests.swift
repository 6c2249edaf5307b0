import FoundationEssentials
import Glibc
import RichPush
import SchemaSupport
import TestSupport
import Testing

/// A sweep of tones that ffmpeg codes in many ways.
struct SweepClip: Sendable, CustomTestStringConvertible {
  let name: String
  let coder: [String]
  let type: AttachmentType
  var sampleRate = 44_100
  var channels = 2
  /// How much quieter it may have to become for the mix of its channels not to overdrive.
  var gain = 0.9...1.1

  var testDescription: String { name }

  static let all = [
    SweepClip(name: "vorbis.ogg", coder: ["-c:a", "libvorbis", "-q:a", "5"], type: .mpeg4Audio),
    SweepClip(name: "opus.ogg", coder: ["-c:a", "libopus", "-ar", "48000"], type: .mpeg4Audio, sampleRate: 48_000),
    SweepClip(name: "opus.webm", coder: ["-c:a", "libopus", "-ar", "48000"], type: .mpeg4Audio, sampleRate: 48_000),
    SweepClip(name: "flac.flac", coder: ["-c:a", "flac"], type: .mpeg4Audio),
    SweepClip(
      name: "flac-96000.flac", coder: ["-c:a", "flac", "-ar", "96000"], type: .mpeg4Audio, sampleRate: 48_000),
    SweepClip(name: "flac-37800.flac", coder: ["-c:a", "flac", "-ar", "37800"], type: .mpeg4Audio),
    SweepClip(name: "wma.wma", coder: ["-c:a", "wmav2", "-b:a", "128k"], type: .mpeg4Audio),
    SweepClip(name: "mp2.mp2", coder: ["-c:a", "mp2", "-b:a", "192k"], type: .mpeg4Audio),
    SweepClip(name: "samples.caf", coder: ["-c:a", "pcm_s24le"], type: .mpeg4Audio),
    SweepClip(name: "samples.au", coder: ["-c:a", "pcm_s16be"], type: .mpeg4Audio),
    SweepClip(
      name: "alaw.wav", coder: ["-c:a", "pcm_alaw", "-ar", "8000", "-ac", "1"], type: .mpeg4Audio, sampleRate: 8000,
      channels: 1),
    SweepClip(
      name: "surround.ac3", coder: ["-c:a", "ac3", "-b:a", "448k", "-af", "pan=5.1|FL=c0|FR=c1"], type: .mpeg4Audio,
      gain: 0.4...0.43),
    SweepClip(name: "lame.mov", coder: ["-c:a", "libmp3lame", "-b:a", "128k"], type: .mp3),
    SweepClip(name: "lame.mp3", coder: ["-c:a", "libmp3lame", "-b:a", "128k"], type: .mp3),
    SweepClip(name: "lossless.m4a", coder: ["-c:a", "alac"], type: .mpeg4Audio),
    SweepClip(name: "frames.aac", coder: ["-c:a", "aac", "-b:a", "128k"], type: .mpeg4Audio),
  ]

  static let besidePicture = [
    SweepClip(name: "ac3.mp4", coder: ["-c:a", "ac3"], type: .mpeg4),
    SweepClip(name: "mp2.ts", coder: ["-c:a", "mp2"], type: .mpeg4),
    SweepClip(name: "samples.mov", coder: ["-c:a", "pcm_s16le"], type: .mpeg4),
    SweepClip(name: "vorbis.mkv", coder: ["-c:a", "libvorbis"], type: .mpeg4),
    SweepClip(name: "mp3.mp4", coder: ["-c:a", "libmp3lame"], type: .mpeg4),
  ]
}

/// One batch over the sweeps, as coded by ffmpeg; decoded by ffmpeg, the results are held against their sources.
@Suite("Sound, judged by ffmpeg")
struct SoundTests {
  private struct Result: Sendable {
    let bench: Workbench
    let run: Run

    func asset(of name: String) throws -> (path: String, attachment: RichPush.Attachment) {
      let manifest = try #require(try bench.store.manifest(name))
      let attachment = try #require(manifest.attachments.first, "\(manifest.rejections)")
      return ("\(bench.out)/\(attachment.asset.location)", attachment)
    }
  }

  private static let result = Task {
    let bench = try Workbench()
    let sweep = "aevalsrc='0.4*sin(2*PI*(200*t+300*t*t))|0.4*sin(2*PI*(300*t+200*t*t))':s=44100:d=2"
    let picture = "testsrc2=size=160x90:rate=25:duration=2"
    for clip in SweepClip.all {
      _ = try await ffmpeg(["-f", "lavfi", "-i", sweep] + clip.coder + ["\(bench.source)/\(clip.name)"])
    }
    for clip in SweepClip.besidePicture {
      _ = try await ffmpeg(
        ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sweep, "-c:v", "libx264", "-pix_fmt", "yuv420p"]
          + clip.coder + ["\(bench.source)/\(clip.name)"])
    }
    return Result(bench: bench, run: try await bench.batch())
  }

  @Test(
    "the sound comes out where it was and as it was: no sample earlier or later, nothing lost",
    arguments: SweepClip.all + SweepClip.besidePicture)
  func places(clip: SweepClip) async throws {
    let result = try await Self.result.value
    let (path, attachment) = try result.asset(of: clip.name)
    #expect(attachment.asset.type == clip.type)
    let before = try await samples(of: "\(result.bench.source)/\(clip.name)", rate: clip.sampleRate)
    let after = try await samples(of: path, rate: clip.sampleRate)
    #expect(before.count > clip.sampleRate)
    let early = try await lead(of: "\(result.bench.source)/\(clip.name)") - lead(of: path)
    let cut = Int((early * Double(clip.sampleRate)).rounded())
    // Players decode the padding of the last frame; its header says that it is none of the sound.
    #expect((-1...1025).contains(after.count - before.count + cut), "\(before.count) became \(after.count)")
    let match = match(before, after, from: clip.sampleRate / 2, count: 2048)
    // Time bases of milliseconds, as in Matroska, are as exact as that.
    let tolerance = clip.name.hasSuffix(".mkv") ? clip.sampleRate / 200 : 1
    #expect(abs(match.lag + cut) <= tolerance, "\(match)")
    #expect(clip.gain.contains(match.gain), "\(match)")
    #expect(match.noise < -24 || tolerance > 1, "\(match)")
  }

  /// How many seconds the sound starts before the picture; 0 where there is none. A little of that is left out.
  private func lead(of path: String) async throws -> Double {
    let streams = try #require(try await probe(path).members["streams"]?.elements.map(\.members))
    let starts = streams.reduce(into: [String: Double]()) { starts, stream in
      starts[stream["codec_type"]?.text ?? ""] = Double(stream["start_time"]?.text ?? "")
    }
    guard let picture = starts["video"], let sound = starts["audio"] else { return 0 }
    return picture - sound
  }

  @Test("lasts as long as its source, to within a frame of AAC", arguments: SweepClip.all + SweepClip.besidePicture)
  func duration(clip: SweepClip) async throws {
    let (path, attachment) = try await Self.result.value.asset(of: clip.name)
    let frame = 1024 / Double(clip.sampleRate)
    // Coders of MP3 and WMA put a frame or two of their own around the sound; of ADTS nobody knows how much.
    let isPadded = [.mp3, .mpeg4].contains(clip.type) || ["wma.wma", "frames.aac"].contains(clip.name)
    let padding = isPadded ? 0.05 : 0
    #expect(abs(try #require(attachment.asset.duration) - 2) <= frame + padding)
    let streams = try #require(try await probe(path).members["streams"]?.elements.map(\.members))
    let sound = try #require(streams.first { $0["codec_type"]?.text == "audio" })
    #expect(sound["channels"]?.double == Double(clip.channels))
    #expect(sound["sample_rate"]?.text == "\(clip.sampleRate)")
    #expect(["aac", "alac", "mp3"].contains(sound["codec_name"]?.text))
    if clip.type == .mpeg4 { #expect(attachment.steps.first == "copied h264 as avc1") }
    let played = try await tool("/usr/bin/ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
    #expect(played.status == 0 && played.errors == "", "\(played.errors)")
  }

  /// The first channel, decoded by ffmpeg.
  private func samples(of path: String, rate: Int) async throws -> [Float] {
    let run = try await ffmpeg(
      ["-i", path, "-map", "0:a:0", "-af", "pan=mono|c0=c0", "-ar", "\(rate)", "-f", "f32le", "-"])
    return run.output.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
  }

  /// Looks for a part of one sound in another.
  /// - Returns: by how many samples it is late, how loud it is, and how loud what is not it, in decibels against it.
  private func match(
    _ before: [Float], _ after: [Float], from first: Int, count: Int
  ) -> (lag: Int, gain: Double, noise: Double) {
    var best = (lag: 0, product: -Double.infinity)
    var gain = 0.0
    var noise = 0.0
    before.withUnsafeBufferPointer { before in
      after.withUnsafeBufferPointer { after in
        for lag in -1200...1200 where first + lag >= 0 && first + lag + count <= after.count {
          var product: Float = 0
          var index = first
          while index < first + count {
            product += before[index] * after[index + lag]
            index += 1
          }
          if Double(product) > best.product { best = (lag, Double(product)) }
        }
        let power = (first..<first + count).reduce(0.0) { $0 + Double(before[$1]) * Double(before[$1]) }
        gain = best.product / power
        let rest = (first..<first + count).reduce(0.0) { sum, index in
          let difference = Double(after[index + best.lag]) - gain * Double(before[index])
          return sum + difference * difference
        }
        noise = rest == 0 ? -.infinity : 10 * log10(rest / (gain * gain * power))
      }
    }
    return (best.lag, gain, noise)
  }
}

func ffmpeg(_ arguments: [String]) async throws -> Run {
  let run = try await tool("/usr/bin/ffmpeg", ["-v", "error", "-nostdin", "-y"] + arguments)
  try #require(run.status == 0, "\(arguments): \(run.errors)")
  return run
}
