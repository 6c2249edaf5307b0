import Glibc
import RichPush
import TestSupport
import Testing

@Suite("The command line")
struct UsageTests {
  @Test(
    "what makes no sense ends with 64, nothing on standard output, and a line that says what would",
    arguments: [
      ([], "Usage:"), (["frobnicate"], "no command “frobnicate”"), (["prepare"], "at least one"),
      (["prepare", "a.jpg"], "--out"), (["prepare", "a.jpg", "--out"], "--out"),
      (["prepare", "1", "2", "3", "4", "5", "--out", "o"], "at most 4 attachments, not 5"),
      (["prepare", "a.jpg", "--out", "o", "--frobnicate"], "--frobnicate"),
      (["prepare", "a.jpg", "--out", "o", "--fit", "outside"], "inside or cover"),
      (["prepare", "a.jpg", "--out", "o", "--helpers", "0"], "--helpers"),
      (["prepare", "a.jpg", "--out", "o", "--helpers", "many"], "“many”"),
      (["prepare", "a.jpg", "--out", "o", "--ca-file", "/nowhere"], "--ca-file /nowhere cannot be read"),
      (["prepare", "a.jpg", "--out", "o", "--ca-file", "/etc/passwd"], "no certificate"),
      (["prepare", "a.jpg", "--out", "o", "--spool", "/etc/passwd"], "nothing can be spooled in /etc/passwd"),
      (["prepare", "a.jpg", "--out", "o", "--decode-timeout", "0"], "--decode-timeout"),
      (["prepare", "a.jpg", "--out", "o", "--decode-memory", "1"], "--decode-memory"),
      (["prepare", "a.jpg", "--out", "o", "--id", ""], "--id"), (["prepare", "a.jpg", "--out", ""], "--out"),
      (["batch"], "one folder"), (["batch", "a", "b", "--out", "o"], "one folder"), (["batch", "."], "--out"),
      (["batch", ".", "--out", ""], "--out"), (["inspect"], "at least one"), (["doctor", "what"], "operands"),
      (["--frobnicate"], "--frobnicate"),
      (["inspect", "a.jpg", "--allow-port", "0"], "--allow-port takes a whole number from 1 to 65535, not “0”"),
      (["inspect", "a.jpg", "--allow-port", "80,81"], "not “80,81”"),
      (["inspect", "a.jpg", "--allow-port", "80", "--allow-port", "http"], "not “http”"),
      (["inspect", "a.jpg", "--allow-address", "10.0.0.0/33"], "“10.0.0.0/33” has no prefix from 0 to 32"),
      (["inspect", "a.jpg", "--allow-address", "10.1.2.3/8"], "the block around it is 10.0.0.0/8"),
      (["inspect", "a.jpg", "--allow-address", "localhost"], "“localhost” is no IP address"),
      (["prepare", "a.jpg", "--out", "o", "--allow-host", "*.example.com"], "names are compared as a whole"),
      (["prepare", "a.jpg", "--out", "o", "--allow-host", "10.0.0.1"], "those are for --allow-address"),
      (["prepare", "a.jpg", "--out", "o", "--allow-host", "https://example.com/"], "is no host name"),
      (["prepare", "a.jpg", "--out", "o", "--allow-host", ""], "--allow-host is empty; it takes NAME"),
      (["prepare", "a.jpg", "--out", "o", "--proxy-from-environment=yes"], "takes no value"),
      (["prepare", "a.jpg", "--out", "o", "--store", "s3://bucket"], "use one of them"),
      (["prepare", "a.jpg", "--store", "s3://b"], "--store s3://b has no proper bucket name"),
      (["prepare", "a.jpg", "--store", "ftp://example.com/"], "has the scheme ftp; stores are folders and s3://"),
      (["prepare", "a.jpg", "--store", "s3://bucket", "--store-addressing", "dns"], "path or host"),
      (["prepare", "a.jpg", "--out", "o", "--public-url", "media.example.com"], "is no http or https URL"),
      (["batch", ".", "--store", "s3://bucket/push"], "--index DIR says where index.jsonl goes"),
      (["worker", "--store", ""], "--store is empty; it takes URL"), (["inspect", ""], "one of the operands is empty"),
      (["enqueue", ""], "one of the operands is empty; they are: [JOB.json|-]…"),
      (["worker", "--cache="], "--cache is empty; it takes DIR"),
      (["queue", "dead", "--queue", ""], "--queue is empty"),
      (["batch", ".", "--store", "."], "--store . is the folder with the sources"),
    ] as [([String], String)])
  func usage(words: [String], expected: String) async throws {
    let folder = try TemporaryFolder()
    let all = ["-C", folder.path, builtProduct("enclosure")] + words
    let run = try await tool("/usr/bin/env", all)
    #expect(run.status == EX_USAGE && run.output == [])
    #expect(run.errors.contains(expected), "\(run.errors)")
    #expect(words.isEmpty || run.errors.contains("--help"))
    #expect(folder.files() == [])
  }

  @Test("--help of each command explains it on standard output, with examples that begin with its name")
  func help() async throws {
    for command in ["prepare", "batch", "inspect", "doctor"] {
      let run = try await enclosure(command, "--help")
      #expect(run.status == 0 && run.errors == "")
      #expect(run.text.contains("Example") && run.text.contains("\n  enclosure \(command)"), "\(run.text)")
      for words in [["help", command], [command, "-h"]] {
        #expect(try await enclosure(words[0], words[1]).output == run.output)
      }
    }
    let overview = try await enclosure("--help")
    #expect(overview.status == 0)
    for command in ["prepare", "batch", "inspect", "doctor"] { #expect(overview.text.contains("  \(command) ")) }
    #expect(try await enclosure("help", "frobnicate").errors.contains("frobnicate"))
  }

  @Test("--version is one line")
  func version() async throws {
    let run = try await enclosure("--version")
    #expect(run.status == 0 && run.text.hasPrefix("enclosure ") && run.text.split(separator: "\n").count == 1)
  }

  @Test("what cannot be printed is no success", arguments: ["> /dev/full", ">&-"])
  func fullOutput(redirection: String) async throws {
    let words = ["-c", "exec \"$0\" --version \(redirection)", builtProduct("enclosure")]
    let run = try await tool("/bin/sh", words)
    #expect(run.status == EX_SOFTWARE)
    let log = try run.log
    #expect(log.first?["event"] == "failed" && log.first?["level"] == "error", "\(run.errors)")
    #expect(log.first?["message"]?.hasPrefix("standard output cannot be written: ") == true)
  }

  @Test("descriptors that were closed at the start do no harm", arguments: ["<&- 2>&-", "<&- >&- 2>&-"])
  func closedDescriptors(redirection: String) async throws {
    let bench = try Workbench()
    let script = "exec \"$0\" batch '\(fixture("bad"))' --out '\(bench.out)' --helpers 1 \(redirection)"
    #expect(try await tool("/bin/sh", ["-c", script, builtProduct("enclosure")]).status == 0)
    #expect(try await bench.store.faults() == [])
    #expect(!(try bench.store.codes.values.contains(.decoderCrashed)))
  }

  @Test("a signal ends with 130 from the start", arguments: [SIGINT, SIGTERM])
  func earlySignal(number: Int32) async throws {
    // Nobody reads this terminal, so that the complaint about the command does not get through.
    let terminal = try Terminal(columns: 80)
    let child = try startEnclosure([Array(repeating: 0x78, count: 100_000)], on: terminal)
    #expect(await eventually { terminal.hasOutput })
    child.signal(number)
    #expect(await child.wait() == .exited(130))
  }

  @Test("doctor finds this machine well")
  func doctor() async throws {
    let run = try await enclosure("doctor")
    #expect(run.status == 0 && run.errors == "", "\(run.text)\(run.errors)")
    #expect(run.text.contains("libvips") && run.text.contains("libcurl"))
    let rows = run.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    for row in ["H.264 video yes, with h264", "AV1 video yes, with libdav1d", "AAC audio yes, with aac"] {
      #expect(rows.contains(row), "\(run.text)")
    }
    let written = rows.drop { $0 != "Can write" }
    #expect(written.contains("H.264 video yes, with libx264") && written.contains("AAC audio yes, with aac"))
  }

  @Test("every option can be given by its variable, which a flag beats")
  func variables() async throws {
    let bench = try Workbench()
    try bench.put("image/landscape.jpg")
    try bench.put("bad/text.jpg")
    let variables = ["ENCLOSURE_OUT": bench.out, "ENCLOSURE_FIT": "cover", "ENCLOSURE_STRICT": "1"]
    let run = try await enclosure("batch", bench.source, environment: bench.environment().merging(variables) { $1 })
    #expect(run.status == 1)
    #expect(try bench.store.manifest("landscape.jpg")?.attachments.first?.asset.width == 1024)
    #expect(try bench.store.manifest("landscape.jpg")?.attachments.first?.asset.height == 1024)
    let beaten = try await enclosure(
      "batch", bench.source, "--fit=inside", environment: bench.environment().merging(variables) { $1 })
    #expect(beaten.status == 1)
    #expect(try bench.store.manifest("landscape.jpg")?.attachments.first?.asset.height == 768)
    let wrong = ["ENCLOSURE_OUT": bench.out, "ENCLOSURE_HELPERS": "many"]
    #expect(try await enclosure("batch", bench.source, environment: wrong).status == EX_USAGE)
    let vague = ["ENCLOSURE_OUT": bench.out, "ENCLOSURE_STRICT": "maybe"]
    let asked = try await enclosure("batch", bench.source, environment: vague)
    #expect(asked.status == EX_USAGE && asked.errors.contains("ENCLOSURE_STRICT takes 1, true or yes"))
    let unknown = ["ENCLOSURE_OUT": bench.out, "ENCLOSURE_OVERLONG": "cut"]
    let refused = try await enclosure("batch", bench.source, environment: unknown)
    #expect(refused.status == EX_USAGE && refused.errors.contains("ENCLOSURE_OVERLONG takes reject, trim or poster"))
  }
}
