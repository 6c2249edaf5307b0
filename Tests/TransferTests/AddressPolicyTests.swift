import RichPush
import TestSupport
import Testing

@testable import Transfer

/// A downloader that may dial 127.0.0.1 as if it were public, and nothing else that is not.
///
/// 127.0.0.2 then stands for a host of the inner network.
private func outerOnly(_ ports: Int..., change: (inout AddressPolicy) -> Void = { _ in }) -> QuickDownloader {
  QuickDownloader { configuration in
    var policy = AddressPolicy()
    policy.ports.formUnion(ports)
    policy.blocks = [AddressBlock(around: .v4(0x7F00_0001), prefix: 32)]
    change(&policy)
    configuration.addressPolicy = policy
  }
}

private func hosts(_ names: String...) throws -> Set<HostName> {
  Set(try names.map { name throws in try HostName(name) })
}

private func picture(_: FaultyOrigin.Request) -> [FaultyOrigin.Step] {
  FaultyOrigin.response(body: jpeg(100))
}

struct AddressPolicyTests {
  @Test("what is inside is refused with the same words, whether or not somebody listens there")
  func silence() async throws {
    let origin = try FaultyOrigin(picture)
    ScriptedNetwork.name("silence.test", resolvesTo: ["127.0.0.1"])
    let downloader = outerOnly(origin.port) { $0.blocks = [] }
    let listening = try await downloader.refusal(origin.url())
    let named = try await downloader.refusal(origin.url(host: "silence.test"))
    origin.stop()
    #expect(try await downloader.refusal(origin.url()) == listening)
    #expect(try await downloader.refusal(origin.url(host: "silence.test")) == named)
    #expect(listening.code == .blockedAddress && listening.permanent && listening.stage == .fetch)
    #expect(listening.message == "127.0.0.1 is at no public address; --allow-address and --allow-host permit others")
    #expect(named.message == "silence.test is at no public address; --allow-address and --allow-host permit others")
    #expect(origin.connections == 0 && ScriptedNetwork.dialled(port: origin.port) == [])
    #expect(downloader.pauses == [])
  }

  @Test("without being told otherwise, a downloader knows the ports 80 and 443, before it asks about the name")
  func ports() async throws {
    ScriptedNetwork.name("ports.test", resolvesTo: ["127.0.0.1"])
    let downloader = Downloader()
    let file = try ScratchFile()
    for (url, message) in [
      ("http://ports.test:8080/", "the URL has port 8080, from which nothing is fetched; --allow-port 8080 permits it"),
      ("https://ports.test:22/", "the URL has port 22, from which nothing is fetched; --allow-port 22 permits it"),
      ("http://127.0.0.1:6379/", "the URL has port 6379, from which nothing is fetched; --allow-port 6379 permits it"),
      ("http://127.0.0.1/", "127.0.0.1 is at no public address; --allow-address and --allow-host permit others"),
      ("http://127.0.0.1:443/", "127.0.0.1 is at no public address; --allow-address and --allow-host permit others"),
      ("https://[::1]:80/", "[::1] is at no public address; --allow-address and --allow-host permit others"),
    ] {
      let reason = try await #require(throws: Rejection.Reason.self) {
        _ = try await downloader.download(url, into: file.descriptor) { _ in .max }
      }
      #expect(reason.code == .blockedAddress && reason.permanent)
      #expect(reason.message == message)
    }
    #expect(ScriptedNetwork.lookups(of: "ports.test") == 0)
  }

  @Test("an allowed block opens its addresses, and no port; an allowed port opens no address")
  func allowances() async throws {
    let origin = try FaultyOrigin(picture)
    let closedPort = try await outerOnly().refusal(origin.url())
    #expect(closedPort.message.hasPrefix("the URL has port \(origin.port), "))
    #expect(try await outerOnly(origin.port).fetch(origin.url()).bytes == jpeg(100))
    ScriptedNetwork.name("allowed.test", resolvesTo: ["127.0.0.1"])
    #expect(try await outerOnly(origin.port).fetch(origin.url(host: "allowed.test")).bytes == jpeg(100))
    let outside = outerOnly(origin.port) { $0.blocks = [AddressBlock(around: .v4(0x7F00_0002), prefix: 31)] }
    #expect(try await outside.refusal(origin.url()).code == .blockedAddress)
    // The block is of IPv4 addresses, and this is none.
    let mapped = try await outerOnly(origin.port).refusal(origin.url(host: "[::ffff:127.0.0.1]"))
    #expect(mapped.code == .blockedAddress)
    #expect(origin.requests.count == 2)
  }

  @Test("a name that is allowed may be anywhere, however it is spelled, and no other name is let in by it")
  func allowedHost() async throws {
    let origin = try FaultyOrigin(picture)
    for name in ["trusted.test", "trusted.test.", "sub.trusted.test", "trusted.test.evil.test", "untrusted.test"] {
      ScriptedNetwork.name(name, resolvesTo: ["127.0.0.1"])
    }
    let downloader = outerOnly(origin.port) { policy in
      policy.blocks = []
      policy.hosts = (try? hosts("Trusted.TEST.")) ?? []
    }
    for host in ["trusted.test", "TRUSTED.test", "trusted.test.", "%74rusted.test", "ｔrusted。test"] {
      #expect(try await downloader.fetch(origin.url(host: host)).bytes == jpeg(100))
    }
    // Connections to the same address are open by now, kept for further requests.
    for host in ["sub.trusted.test", "trusted.test.evil.test", "untrusted.test", "127.0.0.1", "localhost"] {
      #expect(try await downloader.refusal(origin.url(host: host)).code == .blockedAddress, "\(host)")
    }
    #expect(origin.requests.count == 5 && origin.openConnections > 0)
  }

  @Test(
    "an HTTP/2 connection to an allowed name does not carry requests to others that its certificate is for",
    .enabled(if: Nginx.isInstalled, "nginx and openssl are needed"))
  func coalescing() async throws {
    let nginx = try await Nginx.serving(["a.jpg": jpeg(100)])
    ScriptedNetwork.name("one.nginx.test", resolvesTo: ["127.0.0.1"])
    ScriptedNetwork.name("two.nginx.test", resolvesTo: ["127.0.0.1"])
    let allowed = try hosts("one.nginx.test")
    let downloader = QuickDownloader { configuration in
      configuration.caFile = nginx.caFile
      configuration.addressPolicy = AddressPolicy()
      configuration.addressPolicy.ports.insert(nginx.tlsPort)
      configuration.addressPolicy.hosts = allowed
    }
    #expect(try await downloader.fetch("https://one.nginx.test:\(nginx.tlsPort)/a.jpg").bytes == jpeg(100))
    let reason = try await downloader.refusal("https://two.nginx.test:\(nginx.tlsPort)/a.jpg")
    #expect(reason.code == .blockedAddress)
    #expect(try await downloader.fetch("https://one.nginx.test:\(nginx.tlsPort)/a.jpg").bytes == jpeg(100))
    #expect(nginx.log.map(\.protocolVersion) == ["HTTP/2.0", "HTTP/2.0"])
    #expect(Set(nginx.log.map(\.connection)).count == 1)
  }

  @Test("what a server says about other ways to it is not followed")
  func alternatives() async throws {
    let origin = try FaultyOrigin { request in
      let port = request["host"]?.split(separator: ":").last ?? ""
      return FaultyOrigin.response(
        200,
        [
          "Alt-Svc: http/1.1=\"127.0.0.2:\(port)\"; ma=3600, h2=\"127.0.0.2:\(port)\"",
          "Strict-Transport-Security: max-age=3600", "Refresh: 0; url=http://127.0.0.2:\(port)/",
          "Link: <http://127.0.0.2:\(port)/b.jpg>; rel=preload", "Connection: close",
        ], body: jpeg(100)) + [.close]
    }
    ScriptedNetwork.name("alternatives.test", resolvesTo: ["127.0.0.1"])
    let downloader = outerOnly(origin.port)
    for _ in 0..<3 { _ = try await downloader.fetch(origin.url(host: "alternatives.test")) }
    #expect(ScriptedNetwork.dialled(port: origin.port) == ["127.0.0.1", "127.0.0.1", "127.0.0.1"])
  }

  @Test(
    "a host's name is read as URLs have it",
    arguments: [
      ("media.example.com", "media.example.com"), ("Media.Example.COM.", "media.example.com"),
      ("localhost", "localhost"),
      ("intranet", "intranet"), ("bücher.example", "xn--bcher-kva.example"), ("a_b.example", "a_b.example"),
      ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ])
  func names(text: String, name: String) throws {
    #expect(try HostName(text).text == name)
  }

  @Test(
    "what is no host's name is refused with a hint",
    arguments: [
      ("", "is no host name"), (".", "is no host name"), ("a..b", "is no host name"),
      (".example.com", "is no host name"),
      ("a b", "is no host name"), ("https://example.com", "is no host name"), ("example.com:80", "is no host name"),
      ("example.com/x", "is no host name"), ("anna@example.com", "is no host name"), ("a%2eb", "is no host name"),
      ("*.example.com", "has a *; names are compared as a whole"),
      ("127.0.0.1", "is an address; those are for --allow-address"),
      ("[::1]", "is an address; those are for --allow-address"),
      ("::1", "is an address; those are for --allow-address"),
      ("0x7f.1", "is an address; those are for --allow-address"),
      ("10.0.0.0/8", "is an address; those are for --allow-address"),
      ("１２７.0.0.1", "is an address; those are for --allow-address"),
    ])
  func malformedNames(text: String, sentence: String) throws {
    let error = try #require(throws: HostName.Malformed.self) { _ = try HostName(text) }
    #expect(error.sentence.hasPrefix(sentence), "\(error.sentence)")
  }
}

@Suite("A name that changes its mind")
struct RebindingTests {
  @Test("is judged by what it resolves to when it is dialled")
  func changed() async throws {
    let origin = try FaultyOrigin(picture)
    ScriptedNetwork.name("changed.test", resolvesTo: ["127.0.0.1"], ["127.0.0.2"])
    let url = origin.url(host: "changed.test")
    let first = outerOnly(origin.port)
    #expect(try await first.fetch(url).bytes == jpeg(100))
    // Nothing looks a name up to judge it, and leaves dialling to a second lookup.
    #expect(ScriptedNetwork.lookups(of: "changed.test") == 1)
    let reason = try await outerOnly(origin.port).refusal(url)
    #expect(reason.code == .blockedAddress && reason.permanent)
    #expect(ScriptedNetwork.lookups(of: "changed.test") == 2)
    #expect(ScriptedNetwork.dialled(port: origin.port) == ["127.0.0.1"])
  }

  @Test("between two redirects of one download is judged anew")
  func redirected() async throws {
    let inner = try FaultyOrigin(picture)
    let target = inner.url(host: "turning.test")
    let outer = try FaultyOrigin { _ in FaultyOrigin.redirect(to: target) }
    ScriptedNetwork.name("turning.test", resolvesTo: ["127.0.0.1"], ["127.0.0.2"])
    let reason = try await outerOnly(outer.port, inner.port).refusal(outer.url(host: "turning.test"))
    #expect(reason.code == .blockedAddress)
    #expect(ScriptedNetwork.lookups(of: "turning.test") == 2)
    #expect(outer.requests.count == 1 && ScriptedNetwork.dialled(port: inner.port) == [])
  }

  @Test("between two attempts is judged anew")
  func retried() async throws {
    // What libcurl knows of names gets old after a minute; here each attempt is a downloader of its own.
    let origin = try FaultyOrigin { _ in [.reset] }
    ScriptedNetwork.name("retried.test", resolvesTo: ["127.0.0.1"], ["::1", "127.0.0.2", "10.0.0.1"])
    let url = origin.url(host: "retried.test")
    #expect(try await outerOnly(origin.port).refusal(url, limits: oneAttempt).code == .fetchFailed)
    #expect(try await outerOnly(origin.port).refusal(url).code == .blockedAddress)
    #expect(ScriptedNetwork.dialled(port: origin.port) == ["127.0.0.1"])
  }

  @Test("to something public after it was refused was refused for good, and is not asked again")
  func permanent() async throws {
    let origin = try FaultyOrigin(picture)
    ScriptedNetwork.name("late.test", resolvesTo: ["127.0.0.2"], ["127.0.0.1"])
    let downloader = outerOnly(origin.port)
    #expect(try await downloader.refusal(origin.url(host: "late.test")).code == .blockedAddress)
    #expect(ScriptedNetwork.lookups(of: "late.test") == 1 && downloader.pauses == [])
  }
}

@Suite("A redirect from a server that may be fetched from")
struct GuardedRedirectTests {
  @Test(
    "leads to nothing else",
    arguments: [
      "http://127.0.0.2:PORT/", "http://10.0.0.1/", "http://10.0.0.1:PORT/", "http://169.254.169.254/latest/meta-data/",
      "//127.0.0.2:PORT/", "http://2130706434:PORT/", "http://0x7f.2:PORT/", "http://0177.0.0.2:PORT/",
      "http://[::1]:PORT/", "http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:2]:PORT/",
      "http://[64:ff9b::7f00:2]/",
      "http://127.0.0.2.:PORT/", "http://localhost.localdomain.inner.test:PORT/", "https://inner.test:PORT/",
      "http://１２７。0。0。2:PORT/", "http://%31%32%37.0.0.2:PORT/", "http://0:PORT/", "http://[fe80::1%25lo]:PORT/",
      "http://x@127.0.0.2:PORT/", "\\\\127.0.0.2:PORT/",
    ])
  func inner(location: String) async throws {
    ScriptedNetwork.name("inner.test", resolvesTo: ["127.0.0.2"])
    ScriptedNetwork.name("localhost.localdomain.inner.test", resolvesTo: ["127.0.0.2", "::1"])
    let origin = try FaultyOrigin { request in
      let port = request["host"]?.split(separator: ":").last ?? ""
      return FaultyOrigin.redirect(to: location.split(separator: "PORT").joined(separator: String(port)))
    }
    let reason = try await outerOnly(origin.port).refusal(origin.url())
    if location.hasPrefix("\\") {
      // To libcurl that is a path.
      #expect(reason.code == .tooManyRedirects)
      return
    }
    #expect(reason.code == .blockedAddress && reason.permanent && reason.stage == .fetch, "\(reason)")
    #expect(
      reason.message
        == "the server redirects to a host that is at no public address; --allow-address and --allow-host permit others"
    )
    #expect(origin.requests.count == 1)
    #expect(ScriptedNetwork.dialled(port: origin.port) == ["127.0.0.1"])
  }

  @Test("leads to no other port", arguments: ["http://127.0.0.1:6379/", "https://127.0.0.1:22/", "//127.0.0.2:25/"])
  func port(location: String) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.redirect(to: location) }
    let reason = try await outerOnly(origin.port).refusal(origin.url())
    #expect(reason.code == .blockedAddress && reason.permanent)
    #expect(reason.message.hasPrefix("the server redirects to port "))
    #expect(origin.requests.count == 1)
  }

  @Test(
    "leads to no other scheme",
    arguments: [
      "file:///etc/passwd", "file://127.0.0.1/etc/passwd", "FILE:/etc/passwd", "gopher://127.0.0.1:70/_x",
      "dict://127.0.0.1:11211/stat", "ftp://127.0.0.1/x", "ldap://127.0.0.1/", "scp://127.0.0.1/x", "smb://127.0.0.1/x",
      "tftp://127.0.0.1/x", "telnet://127.0.0.1/", "mqtt://127.0.0.1/x", "data:image/png;base64,AAAA",
      "ws://127.0.0.1/",
    ])
  func scheme(location: String) async throws {
    let origin = try FaultyOrigin { _ in FaultyOrigin.redirect(to: location) }
    let reason = try await outerOnly(origin.port).refusal(origin.url())
    #expect(reason.code == .unsupportedScheme && reason.permanent)
    #expect(origin.requests.count == 1 && ScriptedNetwork.dialled(port: origin.port) == ["127.0.0.1"])
  }

  @Test("leads to another one of those")
  func outer() async throws {
    ScriptedNetwork.name("mixed.test", resolvesTo: ["127.0.0.2", "::1", "127.0.0.1"])
    let second = try FaultyOrigin(picture)
    let target = second.url("/b.jpg", host: "mixed.test")
    let first = try FaultyOrigin { _ in FaultyOrigin.redirect(to: target) }
    let fetched = try await outerOnly(first.port, second.port).fetch(first.url())
    #expect(fetched.bytes == jpeg(100) && fetched.download.finalURL == target)
    #expect(ScriptedNetwork.dialled(port: second.port) == ["127.0.0.1"])
  }
}
