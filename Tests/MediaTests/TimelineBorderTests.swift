import Preparation
import RichPush
import Testing

@testable import Media

@Suite("The border of 30 seconds")
struct TimelineBorderTests {
  struct Container: Sendable, CustomTestStringConvertible {
    var name: String
    var codec = "libx264"
    var bFrames = true
    var options: [String] = []
    var testDescription: String { "\(name) \(codec) \(options.joined(separator: " "))" }
  }

  @Test(
    "in every container 30 s and a frame pass, and 30.1 s do not",
    arguments: [
      Container(name: "mp4"), Container(name: "mov"), Container(name: "mkv"),
      Container(name: "mkv", options: ["-live", "1"]),
      Container(name: "mp4", bFrames: false, options: ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"]),
      Container(name: "ts"), Container(name: "flv"),
      Container(name: "avi", bFrames: false, options: ["-bsf:v", "h264_mp4toannexb"]),
      Container(name: "avi", options: ["-bsf:v", "h264_mp4toannexb"]),
      Container(name: "webm", codec: "libvpx"), Container(name: "webm", codec: "libvpx", options: ["-live", "1"]),
      Container(name: "ogv", codec: "libtheora"),
    ])
  func border(_ container: Container) throws {
    let clips = try ClipFolder()
    let coding =
      container.codec == "libx264"
      ? ["-c:v", "libx264", "-preset", "ultrafast", "-g", "100", "-bf", container.bFrames ? "2" : "0"]
      : ["-c:v", container.codec, "-b:v", "20k"]
    for (frames, passes) in [(600, true), (601, true), (602, false)] {
      let source = "testsrc=size=64x48:rate=20,trim=end_frame=\(frames),format=yuv420p"
      let whole = container.codec == "libx264" ? "whole.mp4" : "whole.\(container.name)"
      let encode = ["-f", "lavfi", "-i", source] + coding + [whole]
      try clips.run(encode)
      try clips.run(["-i", whole, "-c", "copy"] + container.options + ["clip.\(container.name)"])
      let facts = try clips.fixture("clip.\(container.name)").facts()
      guard case .video(let video) = facts.content else { throw NotThatKind() }
      // The last packet of an AVI may say half a frame.
      let tolerance = container.name == "avi" ? 0.026 : 0.002
      let presented = try #require(video.duration.presented)
      #expect(abs(presented - Double(frames) / 20) <= tolerance, "\(frames) frames: \(presented) s")
      var verdict: Rejection.Code?
      if case .reject(let reason) = plan(facts) { verdict = reason.code }
      #expect((verdict != .videoTooLong) == passes, "\(frames) frames: \(presented) s")
    }
  }
}
