import FoundationEssentials
import Glibc
import RichPush
import TestSupport
import Testing

@Suite("Where the commands fetch from")
struct AddressPolicyTests {
  let bench: Workbench
  let origin: FaultyOrigin

  init() throws {
    bench = try Workbench()
    let picture = try #require(contentOfFile(fixture("image/one-pixel.png")))
    origin = try FaultyOrigin { _ in FaultyOrigin.response(200, ["Content-Type: image/png"], body: picture) }
  }

  private var port: String { "\(origin.port)" }

  private func prepare(
    _ url: String, _ options: [String], _ variables: [String: String] = [:]
  ) async throws -> (run: Run, reason: Rejection.Reason?) {
    let words = ["prepare", url, "--out", bench.out, "--id", "x"] + options
    let run = try await enclosure(
      words.map { Array($0.utf8) }, environment: bench.environment().merging(variables) { $1 })
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(run.output))
    return (run, manifest.rejections.first?.reason)
  }

  @Test("a host on loopback is a blocked address, for good, and is not connected to")
  func blocked() async throws {
    let url = origin.url("/a.png?hunter2", userInfo: "hunter2@")
    for options in [
      [], ["--allow-port", port], ["--allow-address", "127.0.0.1"], ["--allow-port", port, "--allow-host", "a"],
    ] {
      let (run, reason) = try await prepare(url, options)
      #expect(run.status == 1 && !run.errors.contains("hunter2"))
      #expect(reason?.code == .blockedAddress && reason?.stage == .fetch && reason?.permanent == true)
      #expect(run.errors.contains("blocked_address") && run.errors.contains("--allow-"), "\(run.errors)")
    }
    let inspection = try await enclosure("inspect", url, environment: bench.environment())
    #expect(inspection.status == 0 && inspection.text.contains("blocked_address"))
    #expect(origin.connections == 0)
  }

  @Test("what is allowed is fetched, by flags or variables, any number of them")
  func allowed() async throws {
    for (host, options, variables) in [
      ("127.0.0.1", ["--allow-port", port, "--allow-address", "127.0.0.0/8"], [:]),
      (
        "127.0.0.1",
        ["--allow-port=1", "--allow-port=\(port)", "--allow-address=10.0.0.0/8", "--allow-address=127.0.0.1"], [:]
      ),
      ("localhost", ["--allow-port", port, "--allow-host", "media.example", "--allow-host", "LocalHost."], [:]),
      ("localhost", ["--allow-host", "localhost"], ["ENCLOSURE_ALLOW_PORT": "1, \(port),"]),
      ("127.0.0.1", [], ["ENCLOSURE_ALLOW_PORT": port, "ENCLOSURE_ALLOW_ADDRESS": "fd00::/8,127.0.0.0/8"]),
      ("localhost", [], ["ENCLOSURE_ALLOW_PORT": port, "ENCLOSURE_ALLOW_HOST": "a.example, localhost"]),
    ] as [(String, [String], [String: String])] {
      let (run, _) = try await prepare(origin.url("/a.png", host: host), options, variables)
      #expect(run.status == 0, "\(options) \(variables): \(run.errors)")
      let words = ["inspect", origin.url("/a.png", host: host)] + options
      let inspection = try await enclosure(
        words.map { Array($0.utf8) }, environment: bench.environment().merging(variables) { $1 })
      #expect(inspection.status == 0 && !inspection.text.contains("blocked_address"))
    }
  }

  @Test("a proxy is used only when asked, may be anywhere, and gets names, but no inner addresses and no other ports")
  func proxy() async throws {
    let url = "http://media.enclosure.test/a.png"
    let variables = ["http_proxy": origin.url(), "all_proxy": origin.url(), "no_proxy": ""]
    let (run, _) = try await prepare(url, ["--proxy-from-environment"], variables)
    #expect(run.status == 0, "\(run.errors)")
    #expect(origin.requests.map(\.target) == [url])
    for (url, options) in [
      ("http://10.0.0.1/a.png", ["--proxy-from-environment"]), ("http://0x7f.1/a.png", ["--proxy-from-environment"]),
      ("http://localhost/a.png", ["--proxy-from-environment"]),
      ("http://[fd00::1]/a.png", ["--proxy-from-environment"]),
      ("http://media.enclosure.test:8080/", ["--proxy-from-environment"]), ("http://127.0.0.1/a.png", []),
    ] {
      #expect(try await prepare(url, options, variables).reason?.code == .blockedAddress, "\(url)")
    }
    // Exempt from it, a host is dialled, and so judged.
    let exempt = ["http_proxy": origin.url(), "no_proxy": "localhost"]
    let options = ["--proxy-from-environment", "--allow-port", port]
    #expect(try await prepare(origin.url(host: "localhost"), options, exempt).reason?.code == .blockedAddress)
    #expect(origin.requests.count == 1)
  }

  @Test("every command that fetches has the same options for it")
  func options() async throws {
    for command in ["prepare", "batch", "inspect"] {
      let help = try await enclosure(command, "--help").text
      for option in ["--allow-port=N", "--allow-address=CIDR", "--allow-host=NAME", "--proxy-from-environment"] {
        #expect(help.contains(option), "\(help)")
      }
    }
  }

  @Test(
    "a name that resolves to something inner the second time it is asked for leads nowhere",
    .enabled("port 53 of 127.7.7.7 and a mount namespace are needed, as root has them") {
      await NameServer.isPossible()
    })
  func rebinding() async throws {
    let name = "rebinding.enclosure.test"
    let server = try NameServer(name: name, answers: [[127, 0, 0, 1], [127, 0, 0, 2]])
    let inner = try FaultyOrigin { _ in FaultyOrigin.response(404) }
    let target = inner.url("/b.png", host: name)
    let outer = try FaultyOrigin { _ in FaultyOrigin.redirect(to: target) }
    try bench.folder.write(Array("nameserver \(NameServer.address)\n".utf8), to: "resolv.conf")
    // The program sees this file in place of the machine's, and so asks the server above.
    let script = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\""
    let words =
      ["-m", "sh", "-c", script, "\(bench.folder.path)/resolv.conf", builtProduct("enclosure"), "inspect"]
      + [outer.url("/a.png", host: name), "--allow-address", "127.0.0.1"]
      + ["--allow-port", "\(outer.port)", "--allow-port", "\(inner.port)"]
    let run = try await tool("/usr/bin/unshare", words)
    #expect(run.status == 0 && run.text.contains("\"blocked_address\""), "\(run.text)\(run.errors)")
    #expect(run.text.contains("the server redirects to a host that is at no public address"))
    #expect(server.questions == 2 && outer.requests.count == 1 && inner.connections == 0)
  }
}
