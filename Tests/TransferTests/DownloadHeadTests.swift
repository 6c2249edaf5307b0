import RichPush
import Testing
import Transfer

struct DownloadHeadTests {
  @Test(
    "the first bytes tell the kind, whatever was declared",
    arguments: [
      ("\u{1}", nil), ("GIF89a", .image), ("RIFF....WEBPVP8 ", .image), ("RIFF....WAVEfmt ", .audio),
      ("RIFF....AVI LIST", .video), ("FORM....AIFFCOMM", .audio), ("\0\0\0 ftypisom\0\0\u{2}\0", .video),
      ("\0\0\0 ftypM4A \0\0\0\0", .audio), ("\0\0\0 ftypheic\0\0\0\0", .image), ("\0\0\0 ftypqt  \0\0\0\0", .video),
      ("ID3\u{4}", .audio), ("fLaC", .audio), ("<!DOCTYPE html>", nil), ("RIFF", nil), ("", nil),
    ] as [(String, MediaKind?)])
  func bytes(text: String, kind: MediaKind?) {
    #expect(DownloadHead(declaredType: "text/html", firstBytes: Array(text.utf8)).probableKind == kind)
    #expect(DownloadHead(declaredType: "audio/x", firstBytes: Array(text.utf8)).probableKind == kind ?? .audio)
  }
}
