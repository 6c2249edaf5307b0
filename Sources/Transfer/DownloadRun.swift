import RichPush

/// One download on its way: what it has fetched, what it has cost, and what is to be asked for next. Used by one task.
struct DownloadRun {
  private let start: RequestURL
  private let policy: AddressPolicy
  let engine: Engine
  let sink: BodySink
  let limits: TransferLimits
  let account: TransferAccount?
  private let memory: ResponseMemory?
  /// nil as soon as nobody wants to look any more.
  private var examine: Examiner?
  /// What the examiner wants to see next of a stream.
  private var wanted: Range<Int>?
  private var requestsForExaminer = 0
  /// Whether the first request is for the whole.
  private let beginsWhole: Bool
  /// Whether the server has sent parts that cannot be used.
  private var arePartsRefused = false

  /// Its timings are those of the last request, `total` is the time of all.
  private(set) var cost = TransferCost()
  /// What the last response asked for, in seconds.
  private(set) var retryAfter: Double?

  init(
    _ url: RequestURL, policy: AddressPolicy, engine: Engine, sink: BodySink, limits: TransferLimits,
    examine: Examiner?, account: TransferAccount?, memory: ResponseMemory?
  ) {
    start = url
    self.policy = policy
    self.engine = engine
    self.sink = sink
    self.limits = limits
    self.examine = examine
    self.account = account
    self.memory = memory
    beginsWhole = url.namesPicturesOrSound
  }

  /// Fetches what is missing.
  mutating func attempt() async throws(Rejection.Reason) -> Download {
    cost.attempts += 1
    cost.redirects = 0
    var request = ExchangeRequest(
      url: start, credentials: start.credentials, sink: sink, limits: limits, remainingTime: 0)
    while true {
      request.part = try await nextPart()
      let report = try await follow(&request)
      switch report.outcome {
      case .body(let status):
        if sink.isComplete {
          do throws(Rejection.Reason) {
            try sink.requireFit()
          } catch {
            try await askOnceMore()
            throw error
          }
          return await download(status, request)
        }
      case .kept(let response): return download(response, request.url)
      case .partRefused:
        arePartsRefused = true
        try sink.reset()
      case .postponed:
        let needed = min(sink.total ?? 1 << 20, limits.maximumBytes)
        try sink.reset()
        await sink.hold.waitForRoom(needed)
        if Task.isCancelled { throw .cancelled }
      case .notModified: throw Self.unaskedNotModified
      case .redirect: break  // `follow` leaves none
      case .failed(let reason): throw reason
      }
    }
  }

  private func download(_ status: Int, _ request: ExchangeRequest) async -> Download {
    sink.hold.finish()
    let status = status == 206 ? 200 : status
    var sha256 = sink.finishHash()
    if let memory, status == 200 { sha256 = await memory.keep(sink, sha256: sha256, for: request) }
    return Download(
      status: status, finalURL: request.url.redacted, declaredType: sink.version?.declaredType,
      bytes: sink.available.contiguous, bytesFetched: cost.bytesFetched, redirects: cost.redirects,
      attempts: cost.attempts, requests: cost.requests, timings: cost.timings, sha256: sha256,
      headers: sink.version?.headers ?? ResponseHeaders(), keptBody: nil, hold: sink.hold)
  }

  private func download(_ kept: CachedResponse, _ url: RequestURL) -> Download {
    sink.hold.finish()
    return Download(
      status: 200, finalURL: url.redacted, declaredType: kept.response.declaredType, bytes: kept.response.bytes,
      bytesFetched: cost.bytesFetched, redirects: cost.redirects, attempts: cost.attempts, requests: cost.requests,
      timings: cost.timings, sha256: kept.response.sha256, headers: kept.response.fields, keptBody: kept.body,
      hold: sink.hold)
  }

  // MARK: Requests

  /// Sends a request, and further ones as long as the answer is a redirect.
  private mutating func follow(_ request: inout ExchangeRequest) async throws(Rejection.Reason) -> ExchangeReport {
    while true {
      let report = try await send(request)
      guard case .redirect(let target) = report.outcome else { return report }
      cost.redirects += 1
      guard cost.redirects <= limits.redirects else {
        throw Rejection.Reason(
          .tooManyRedirects, at: .fetch, "the server redirects more than \(limits.redirects) times",
          limit: Double(limits.redirects), measured: Double(cost.redirects))
      }
      let next = try RequestURL(redirect: target, from: request.url)
      request.credentials = next.credentials ?? (next.origin == request.url.origin ? request.credentials : nil)
      request.url = next
      request.isRedirect = true
    }
  }

  /// Sends one request, unless a kept response will do. One that may no longer do is asked about.
  private mutating func send(_ request: ExchangeRequest) async throws(Rejection.Reason) -> ExchangeReport {
    try policy.judge(request.url, isRedirect: request.isRedirect)
    guard let memory, sink.available.contiguous == 0, let kept = await memory.response(to: request) else {
      return try await exchange(request)
    }
    cost.finalURL = request.url.redacted
    account?.update(cost)
    if memory.isFresh(kept) {
      return ExchangeReport(outcome: .kept(kept), bytesReceived: 0, timings: TransferTimings())
    }
    var conditional = request
    conditional.conditions = kept.response.validators
    let sent = memory.now()
    var report = try await exchange(conditional)
    guard case .notModified = report.outcome else { return report }
    guard let confirmed = await memory.confirm(kept, by: report.headers, sent: sent, for: request) else {
      return try await exchange(request)
    }
    report.outcome = .kept(confirmed)
    return report
  }

  private mutating func exchange(_ request: ExchangeRequest) async throws(Rejection.Reason) -> ExchangeReport {
    var request = request
    request.remainingTime = limits.totalTimeout - cost.timings.total
    guard !limits.isSpent(cost.timings.total) else { throw late }
    cost.requests += 1
    cost.finalURL = request.url.redacted
    sink.beginRequest()
    if sink.available.contiguous == 0 { sink.requested = memory?.now() ?? 0 }
    let (report, verdict) = await run(request)
    cost.bytesFetched += report.bytesReceived
    let seconds = cost.timings.total + report.timings.total
    cost.timings = report.timings
    cost.timings.total = seconds
    retryAfter = report.retryAfter
    account?.update(cost)
    if let verdict { throw verdict }
    if case .failed(let reason) = report.outcome {
      if reason.code == .tooLarge { try await askOnceMore() }
      // What was announced as too large came for the examiner only, and is not worth another attempt.
      if reason.code == .fetchTimeout || reason.code == .fetchFailed, !Task.isCancelled { try sink.requireFit() }
    }
    return report
  }

  private var late: Rejection.Reason {
    Rejection.Reason(
      .fetchTimeout, at: .fetch,
      "the download did not finish within \(limits.totalTimeout.text) s, in \(cost.requests) requests",
      limit: limits.totalTimeout, measured: cost.timings.total)
  }

  private static let unaskedNotModified = Rejection.Reason(
    .fetchFailed, at: .fetch, "the server answered with status 304 (not modified) though nothing is kept")

  // MARK: Parts

  /// Whether more can be asked for of the version that is there, and never be of another one.
  private var canResume: Bool {
    !arePartsRefused && sink.version?.headers.rangeValidator != nil
  }

  /// What to ask for, by what is there already.
  private mutating func nextPart() async throws(Rejection.Reason) -> RequestedPart {
    guard sink.available.contiguous > 0 else {
      return beginsWhole || arePartsRefused ? .whole : .first(ExaminationBudget.firstBytes)
    }
    guard canResume else { return .whole }
    if sink.isExaminable, !sink.cameWhole, let wanted = try await ask(canFetchRanges: true) {
      if let part = affordable(wanted) { return .range(part, isStream: false) }
      self.wanted = wanted
    }
    if !sink.isExaminable || !sink.cameWhole { try sink.requireFit() }
    guard let total = sink.total else { return .range(sink.available.contiguous..<Int.max, isStream: true) }
    guard let gap = sink.available.nextGap(of: total, negligible: ExaminationBudget.negligibleBytes) else {
      return .whole
    }
    return .range(gap, isStream: true)
  }

  /// Asks the examiner.
  ///
  /// - Returns: what it wants to see; nil when it has seen enough.
  private mutating func ask(canFetchRanges: Bool) async throws(Rejection.Reason) -> Range<Int>? {
    guard let examine else { return nil }
    let body = sink.partialBody(canFetchRanges: canFetchRanges)
    switch try await examine(body) {
    case .enough: self.examine = nil
    case .needs(let range):
      // What it has seen already, or what lies behind the end, will tell it nothing more.
      let inside = range.clamped(to: 0..<(body.totalBytes ?? .max))
      if !inside.isEmpty, !sink.available.contains(inside) { return inside }
      self.examine = nil
    }
    return nil
  }

  /// The part to fetch for an examiner; nil when it is better had from the stream, or would be too much.
  private mutating func affordable(_ wanted: Range<Int>) -> Range<Int>? {
    guard wanted.upperBound <= ExaminationBudget.largestVideo else { return nil }
    let (total, contiguous) = (sink.total ?? .max, sink.available.contiguous)
    var end = max(wanted.upperBound, wanted.lowerBound + ExaminationBudget.leastBytes)
    if wanted.lowerBound == contiguous {
      // Who reads on byte by byte gets the double each time, and soon the stream.
      guard contiguous < ExaminationBudget.contiguousBytes else { return nil }
      end = max(end, contiguous * 2)
    }
    let part = wanted.lowerBound..<min(end, total)
    guard requestsForExaminer < ExaminationBudget.requests, sink.available.count + part.count <= ExaminationBudget.bytes
    else { return nil }
    requestsForExaminer += 1
    return part
  }

  /// A body that is too large may have another fault, of which it helps more to know.
  private mutating func askOnceMore() async throws(Rejection.Reason) {
    if sink.isExaminable, examine != nil { _ = try await ask(canFetchRanges: false) }
  }

  // MARK: Streams

  private enum Event: Sendable {
    case ended(ExchangeReport)
    case progressed(Bool)
  }

  /// Runs one request, and has the examiner look at what comes meanwhile.
  ///
  /// - Returns: also the reason for which the examiner has stopped it.
  private mutating func run(_ request: ExchangeRequest) async -> (ExchangeReport, Rejection.Reason?) {
    guard let examine else { return (await engine.run(request), nil) }
    let (engine, sink) = (engine, sink)
    let maySkip = canResume && !sink.cameWhole && requestsForExaminer < ExaminationBudget.requests
    var look = Look.undecided
    let firstMark = BodyProgress.Mark(contiguous: sink.available.contiguous * 2, range: wanted)
    let report = await withTaskGroup(of: Event.self) { group in
      var report: ExchangeReport?
      group.addTask { .ended(await engine.run(request)) }
      group.addTask { .progressed(await sink.progress.reaches(firstMark)) }
      for await event in group {
        switch event {
        case .ended(let ended): report = ended
        case .progressed(let isRunning):
          guard isRunning, report == nil, let body = sink.progress.body else { continue }
          look = await Self.look(at: body, examine, maySkip: maySkip)
          switch look {
          case .rejected, .skips: group.cancelAll()
          case .enough, .undecided: break
          case .waits(let mark): group.addTask { .progressed(await sink.progress.reaches(mark)) }
          }
        }
      }
      return report
    }
    var ending = report ?? ExchangeReport(outcome: .failed(.stopped), bytesReceived: 0, timings: TransferTimings())
    switch look {
    case .rejected(let reason): return (ending, reason)
    case .enough: self.examine = nil
    case .skips:
      // What was asked for has come, as far as it is of interest.
      if case .failed(.cancelled) = ending.outcome, !Task.isCancelled { ending.outcome = .body(status: 206) }
    case .undecided, .waits: break
    }
    return (ending, nil)
  }

  /// What came of having the examiner look at a stream.
  private enum Look: Sendable {
    case undecided
    case rejected(Rejection.Reason)
    case enough
    /// It wants to see what the stream will bring.
    case waits(BodyProgress.Mark)
    /// It wants to see what lies far ahead.
    case skips
  }

  private static func look(at body: PartialBody, _ examine: Examiner, maySkip: Bool) async -> Look {
    let contiguous = body.available.first?.upperBound ?? 0
    do throws(Rejection.Reason) {
      switch try await examine(body) {
      case .enough: return .enough
      case .needs(let range):
        if maySkip, range.lowerBound > contiguous + ExaminationBudget.contiguousBytes { return .skips }
        let isNews = !body.available.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
        return .waits(BodyProgress.Mark(contiguous: max(contiguous, 1) * 2, range: isNews ? range : nil))
      }
    } catch {
      return .rejected(error)
    }
  }
}

extension RequestURL {
  /// Whether the path ends like those of pictures and sound, of which no part is asked for first.
  var namesPicturesOrSound: Bool {
    let name = redacted.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return false }
    return Self.plainExtensions.contains(name[name.index(after: dot)...].lowercased())
  }

  private static let plainExtensions: Set<String> = [
    "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "heic", "heif", "avif", "bmp", "tif", "tiff", "ico",
    "jp2", "jxl", "psd", "mp3", "m4a", "m4b", "aac", "wav", "aif", "aiff", "aifc", "flac", "ogg", "oga", "opus",
  ]
}
