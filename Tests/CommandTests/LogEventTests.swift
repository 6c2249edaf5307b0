import FoundationEssentials
import Pipeline
import RichPush
import Testing

@testable import EnclosureCommand

@Suite("A log event")
struct LogEventTests {
  @Test("one job is one, and none or several are jobs")
  func countsJobs() {
    let texts = [0, 1, 2].map { LogEvent.worker(.draining(jobs: $0)).text }
    #expect(texts == ["ending; 0 jobs are in work", "ending; 1 job is in work", "ending; 2 jobs are in work"])
    #expect(LogEvent.worker(.drained(released: 1, abandoned: 0)).text == "ended; gave 1 job back")
  }

  private static let reason = Rejection.Reason(.decoderCrashed, at: .prepare, "the decoder \"died\"")

  @Test(
    "is a sentence for people and one line of JSON for programs",
    arguments: [
      (
        .rejected(Rejection(source: "https://example.com/a.jpg", reason: reason)),
        "rejected https://example.com/a.jpg: the decoder \"died\" [decoder_crashed]",
        #"{"code":"decoder_crashed","event":"source_rejected","level":"warning","message":"the decoder \"died\"","#
          + #""permanent":true,"source":"https://example.com/a.jpg","stage":"prepare","time":"1970-01-01T00:00:00Z"}"#
      ),
      (
        .helperLost(reason, lastWords: "a\nb\n"), "helper lost: the decoder \"died\"; its last words: a\nb",
        #"{"code":"decoder_crashed","event":"helper_lost","lastWords":"a\nb\n","level":"warning","#
          + #""message":"the decoder \"died\"","permanent":true,"stage":"prepare","time":"1970-01-01T00:00:00Z"}"#
      ),
      (
        .helperLost(reason, lastWords: "\n"), "helper lost: the decoder \"died\"",
        #"{"code":"decoder_crashed","event":"helper_lost","lastWords":"\n","level":"warning","#
          + #""message":"the decoder \"died\"","permanent":true,"stage":"prepare","time":"1970-01-01T00:00:00Z"}"#
      ),
      (
        .helperLostIdle("the decoder died"), "helper lost: the decoder died",
        #"{"event":"helper_lost","level":"warning","message":"the decoder died","time":"1970-01-01T00:00:00Z"}"#
      ),
      (
        .failed(command: "batch", "no space"), "enclosure batch: no space",
        #"{"command":"batch","event":"failed","level":"error","message":"no space","time":"1970-01-01T00:00:00Z"}"#
      ),
      (
        .variableUnknown(UnknownVariable(name: "ENCLOSURE_JOB", meant: "ENCLOSURE_JOBS")),
        "ENCLOSURE_JOB is no variable of Enclosure's and is passed over; there is ENCLOSURE_JOBS",
        #"{"event":"variable_unknown","level":"warning","message":"ENCLOSURE_JOB is no variable of Enclosure's and is "#
          + #"passed over; there is ENCLOSURE_JOBS","time":"1970-01-01T00:00:00Z","variable":"ENCLOSURE_JOB"}"#
      ),
      (
        .interrupted("stopped"), "stopped",
        #"{"event":"interrupted","level":"info","message":"stopped","time":"1970-01-01T00:00:00Z"}"#
      ),
    ] as [(LogEvent, String, String)])
  func forms(event: LogEvent, text: String, json: String) {
    #expect(event.text == text)
    #expect(event.json(at: Date(timeIntervalSince1970: 0)) == json)
  }
}
