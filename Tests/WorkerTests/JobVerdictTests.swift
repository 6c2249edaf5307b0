import RichPush
import Testing

@testable import Pipeline

private let job = Job(
  id: "a", sources: [JobSource(.url("https://example.com/a")), JobSource(.url("https://example.com/b"))])
private let crashed = Rejection.Reason(.decoderCrashed, at: .inspect, "the decoder was killed", permanent: false)

@Suite struct JobVerdictTests {
  private func circumstances(_ adjust: (inout Circumstances) -> Void = { _ in }) -> Circumstances {
    var circumstances = Circumstances(attempt: 1, attempts: 3, delay: 4)
    adjust(&circumstances)
    return circumstances
  }

  @Test(
    "a manifest is published when nothing in it may pass",
    arguments: [
      manifest(job, attachments: 2), manifest(job, attachments: 1, corrupt), manifest(job, attachments: 0, corrupt),
    ])
  func publishes(manifest: Manifest) {
    #expect(verdict(on: manifest, circumstances()) == .publish)
  }

  @Test("what may pass is tried again after the delay")
  func retries() {
    let expected = JobVerdict.retry(after: 4, reason: "could not connect to example.com [fetch_failed]")
    #expect(verdict(on: manifest(job, attachments: 1), circumstances()) == expected)
    #expect(verdict(on: manifest(job, attachments: 0), circumstances { $0.secondsLeft = 5 }) == expected)
  }

  @Test("there is no attempt after the job has expired")
  func stopsAtExpiry() {
    #expect(verdict(on: manifest(job, attachments: 1), circumstances { $0.secondsLeft = 3 }) == .publish)
  }

  @Test("the last attempt buries a job, unless something came of it")
  func buries() {
    let last = circumstances { $0.attempt = 3 }
    #expect(
      verdict(on: manifest(job, attachments: 0), last)
        == .bury(
          reason: "could not connect to example.com [fetch_failed]", codes: [.fetchFailed, .fetchFailed]))
    #expect(verdict(on: manifest(job, attachments: 1), last) == .publish)
  }

  @Test("what the store or this machine lacks is not the job's fault, also at the last attempt")
  func setsAside() {
    let last = circumstances { $0.attempt = 3 }
    #expect(
      verdict(on: manifest(job, attachments: 1, diskFull), last) == .setAside(.store, reason: diskFull.message))
    #expect(
      verdict(on: manifest(job, attachments: 0, crashed), circumstances { $0.lacksHelpers = true })
        == .setAside(.helpers, reason: crashed.message))
  }

  @Test("a store that works for others makes it the job's fault")
  func blamesJob() {
    let known = circumstances { $0.storeWorksForOthers = true }
    #expect(
      verdict(on: manifest(job, attachments: 0, diskFull), known)
        == .retry(after: 4, reason: "\(diskFull.message) [store_failed]"))
  }

  @Test("delays double up to a bound, and are random below it")
  func delays() {
    var configuration = WorkerConfiguration()
    configuration.jitter = { $0 }
    #expect((1...9).map { configuration.delay(after: $0, atMost: 300) } == [2, 4, 8, 16, 32, 64, 128, 256, 300])
    configuration.jitter = { $0 / 2 }
    #expect(configuration.delay(after: 2, atMost: 300) == 2)
  }
}
