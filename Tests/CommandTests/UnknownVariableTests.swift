import Testing

@testable import EnclosureCommand

@Suite("Variables that nobody reads") struct UnknownVariableTests {
  @Test(
    "a misspelt variable is told, with the one that was meant",
    arguments: [
      ("ENCLOSURE_JOB", "ENCLOSURE_JOBS"), ("ENCLOSURE_QEUE", "ENCLOSURE_QUEUE"),
      ("ENCLOSURE_ALLOW_HOSTS", "ENCLOSURE_ALLOW_HOST"), ("ENCLOSURE_NATS_REPLICA", "ENCLOSURE_NATS_REPLICAS"),
      ("ENCLOSURE_CALLBACK_SECRETS_FILE", "ENCLOSURE_CALLBACK_SECRET_FILE"), ("ENCLOSURE_TOKENS", "ENCLOSURE_TOKEN"),
    ])
  func names(name: String, meant: String) {
    #expect(UnknownVariable.all(in: [name, "PATH"]) == [UnknownVariable(name: name, meant: meant)])
  }

  @Test("those that there are, and those of others, are passed over")
  func passesOver() {
    let known = ["ENCLOSURE_JOBS", "ENCLOSURE_STRICT", "ENCLOSURE_MEDIA", "ENCLOSURE_TOKEN", "ENCLOSURE_NATS_USER"]
    // What Kubernetes sets in the containers beside services of these names.
    let services = ["ENCLOSURE", "ENCLOSURE_WORKER", "ENCLOSURE_NATS", "ENCLOSURE_STORE", "ENCLOSURE_CACHE"]
    let others = services.flatMap { name in
      [
        "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT", "PORT_9464_TCP", "PORT_9464_TCP_ADDR",
        "PORT_9464_TCP_PORT", "PORT_9464_TCP_PROTO",
      ].map { "\(name)_\($0)" }
    }
    #expect(UnknownVariable.all(in: known + others + ["ENCLOSURE_", "ENCLOSURES_JOBS", "JOBS"]) == [])
  }
}
