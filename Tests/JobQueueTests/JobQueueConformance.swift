import JobQueue
import Testing

/// A queue to be tested, empty at first.
struct QueueUnderTest: Sendable {
  var queue: any JobQueue
  /// Opens the same queue once more, as another process would.
  var openAgain: @Sendable () async throws -> any JobQueue
  /// Whether jobs with an early deadline go first.
  var ordersByDeadline = true
}

/// What every driver has to do. A driver's tests run each case on a fresh queue of theirs:
///
///     @Test("a SQLite queue", arguments: JobQueueConformance.allCases)
///     func conforms(_ rule: JobQueueConformance) async throws { … try await rule.check(test) … }
enum JobQueueConformance: String, CaseIterable, CustomTestStringConvertible {
  case handsOutWhatWasAdded = "a job comes out as it went in, as attempt 1"
  case addsAnIdOnce = "an id is known while its job waits, is worked on, has ended or is dead"
  case takesOddIds = "any id is taken, and those that look alike are kept apart"
  case refusesWhatNoQueueTakes = "an empty or long id and a large document are refused"
  case takesLargeDocuments = "documents of no byte and of half a megabyte come out whole"
  case givesNoMoreThanAsked = "a lease is of no more jobs than asked for"
  case givesNothingWhenEmpty = "an empty queue gives nothing, after waiting as long as asked"
  case wakesWhoWaits = "whoever waits gets a job that is added by somebody else"
  case givesEachJobToOne = "of many who lease at once, each job goes to one"
  case ordersByDeadline = "jobs that are soon of no use any more go first"
  case endsCancelledWaits = "a cancelled task stops waiting"

  case completes = "a completed job has its result, and is not given out again"
  case extends = "an extended lease holds"
  case losesLeases = "a job whose lease has run out goes to somebody else, as the next attempt, with a higher token"
  case fences = "a lost lease ends nothing"
  case endsOnce = "a lease that has ended its job ends nothing else, but may be repeated"
  case retries = "a job that is retried comes again after the delay, as the next attempt"
  case retriesAtOnce = "a job that is retried without a delay comes again at once"
  case releases = "a released job comes again at once, as the same attempt"
  case releasesForLater = "a job that is released for later comes again after the delay, as the same attempt"

  case buries = "a dead letter has its document, attempts and reasons, and is not given out again"
  case listsDeadLetters = "dead letters are listed oldest first, as many as asked for"
  case recordsLostWorkers = "a dead letter tells of leases that ran out"
  case revives = "a revived dead letter is a job again, with all attempts before it"
  case revivesAll = "all dead letters are revived at once, and counted"
  case revivesOnce = "reviving all comes to an end though workers bury the same jobs again"
  case purgesTheDead = "purged dead letters are gone, and nothing else"
  case purgesTheWaiting = "purged jobs are gone, but those that are worked on"
  case purgesTheCompleted = "a completed job that was purged can be added again"

  case countsJobs = "the status counts what is ready, delayed, worked on and dead"
  case knowsStates = "the state of a job follows what happens to it"
  case survivesReopening = "jobs, attempts, results and dead letters are there when the queue is opened again"
  case worksConcurrently = "many tasks add, retry and complete at once, and nothing is lost"
  case closes = "a closed queue ends waiting calls, and takes no more"

  var testDescription: String { rawValue }

  func check(_ test: QueueUnderTest) async throws {
    switch self {
    case .handsOutWhatWasAdded: try await checkHandingOut(test)
    case .addsAnIdOnce: try await checkKnownIds(test)
    case .takesOddIds: try await checkOddIds(test)
    case .refusesWhatNoQueueTakes: try await checkRefusals(test)
    case .takesLargeDocuments: try await checkLargeDocuments(test)
    case .givesNoMoreThanAsked: try await checkCount(test)
    case .givesNothingWhenEmpty: try await checkEmptyQueue(test)
    case .wakesWhoWaits: try await checkWaking(test)
    case .givesEachJobToOne: try await checkSharing(test)
    case .ordersByDeadline: try await checkDeadlines(test)
    case .endsCancelledWaits: try await checkCancellation(test)
    case .completes: try await checkCompleting(test)
    case .extends: try await checkExtending(test)
    case .losesLeases: try await checkLosing(test)
    case .fences: try await checkFencing(test)
    case .endsOnce: try await checkEndingOnce(test)
    case .retries: try await checkRetrying(test)
    case .retriesAtOnce: try await checkRetryingAtOnce(test)
    case .releases: try await checkReleasing(test)
    case .releasesForLater: try await checkReleasingForLater(test)
    case .buries: try await checkBurying(test)
    case .listsDeadLetters: try await checkListing(test)
    case .recordsLostWorkers: try await checkLostWorkers(test)
    case .revives: try await checkReviving(test)
    case .revivesAll: try await checkRevivingAll(test)
    case .revivesOnce: try await checkRevivingOnce(test)
    case .purgesTheDead: try await checkPurgingDead(test)
    case .purgesTheWaiting: try await checkPurgingWaiting(test)
    case .purgesTheCompleted: try await checkPurgingCompleted(test)
    case .countsJobs: try await checkStatus(test)
    case .knowsStates: try await checkStates(test)
    case .survivesReopening: try await checkReopening(test)
    case .worksConcurrently: try await checkConcurrency(test)
    case .closes: try await checkClosing(test)
    }
  }
}
