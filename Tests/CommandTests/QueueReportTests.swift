import JobQueue
import Testing

@testable import EnclosureCommand

@Suite struct QueueReportTests {
  private let text = QueueReport(asJSON: false)
  private let json = QueueReport(asJSON: true)

  @Test("the status is a short table, or an object")
  func reportsStatus() {
    let status = QueueStatus(ready: 12, delayed: 3, leased: 1_234_567, dead: 0, oldestReadySeconds: 130)
    #expect(
      text.status(status) == """
        ready         12  the oldest for 2 min
        delayed        3
        leased   1234567
        dead           0

        """)
    #expect(
      json.status(status) == #"{"dead":0,"delayed":3,"leased":1234567,"oldestReadySeconds":130,"ready":12}"# + "\n")
    let empty = QueueStatus(ready: 0, delayed: 0, leased: 0, dead: 0)
    #expect(text.status(empty).hasPrefix("ready          0\n"))
    #expect(json.status(empty) == #"{"dead":0,"delayed":0,"leased":0,"oldestReadySeconds":null,"ready":0}"# + "\n")
  }

  @Test(
    "the state of a job is a line, or an object",
    arguments: [
      (nil, "a: unknown\n", #"{"id":"a","state":"unknown"}"#),
      (.waiting(attempts: 0), "a: waiting\n", #"{"attempts":0,"id":"a","state":"waiting"}"#),
      (.waiting(attempts: 1), "a: waiting after 1 attempt\n", #"{"attempts":1,"id":"a","state":"waiting"}"#),
      (.leased(attempt: 2), "a: working, attempt 2\n", #"{"attempt":2,"id":"a","state":"working"}"#),
      (
        .completed(result: Array(#"{"status":"ready"}"#.utf8)), "a: completed, ready\n",
        #"{"id":"a","result":{"status":"ready"},"state":"completed"}"#
      ),
      (
        .completed(
          result: Array(
            #"{"status":"rejected","codes":["blocked_address","too_long"],"manifest":"manifests/a.json"}"#.utf8)),
        "a: completed, rejected [blocked_address, too_long], manifests/a.json\n",
        #"{"id":"a","result":{"codes":["blocked_address","too_long"],"manifest":"manifests/a.json","#
          + #""status":"rejected"},"state":"completed"}"#
      ),
      (
        .completed(result: Array("as \u{1B}[31mit is".utf8)), "a: completed, as \\u{1B}[31mit is\n",
        #"{"id":"a","result":"as \u001b[31mit is","state":"completed"}"#
      ),
      (.completed(result: []), "a: completed\n", #"{"id":"a","result":"","state":"completed"}"#),
      (
        .dead(reason: "attempt 1: x\nattempt 2: y"), "a: dead\n  attempt 1: x\n  attempt 2: y\n",
        #"{"id":"a","reasons":["attempt 1: x","attempt 2: y"],"state":"dead"}"#
      ),
    ] as [(JobState?, String, String)])
  func reportsStates(state: JobState?, line: String, object: String) {
    #expect(text.state(state, of: "a") == line)
    #expect(json.state(state, of: "a") == object + "\n")
  }

  @Test(
    "dead letters come with their reasons, and as JSON with their job; nothing in them reaches the terminal as it is")
  func reportsDeadLetters() {
    let letters = [
      DeadLetter(
        id: "a", body: Array(#"{"id":"a"}"#.utf8), attempts: 2, reason: "attempt 1: x\nattempt 2: y",
        buriedAt: 1_800_000_000),
      DeadLetter(
        id: "\u{1B}[2J", body: [1, 2], attempts: 1, reason: "attempt 1: \u{1B}[31m", buriedAt: 1_800_000_000.5),
    ]
    #expect(
      text.dead(letters) == """
        a  given up 2027-01-15T08:00:00Z after 2 attempts
          attempt 1: x
          attempt 2: y
        \\u{1B}[2J  given up 2027-01-15T08:00:00Z after 1 attempt
          attempt 1: \\u{1B}[31m

        """)
    let object =
      #"{"attempts":2,"buriedAt":"2027-01-15T08:00:00Z","id":"a","job":{"id":"a"},"#
      + #""reasons":["attempt 1: x","attempt 2: y"]}"#
    #expect(json.dead(letters).split(separator: "\n").first.map(String.init) == object)
    #expect(text.dead([]) == "There are no dead letters.\n")
    #expect(json.dead([]).isEmpty)
  }

  @Test("what was done is counted")
  func reportsCounts() {
    #expect(text.count(1, "revived", "put back") == "1 job put back\n")
    #expect(json.count(12, "revived", "put back") == "{\"revived\":12}\n")
  }
}
