package import Preparation
import Synchronization
package import Transfer

/// What is known about the fetching of a source, also when it came to nothing.
package final class FetchRecord: Sendable {
  private struct State {
    var claim: HeaderClaim?
    var declaredType: String?
    var totalBytes: Int?
  }

  let account = TransferAccount()
  private let state = Mutex(State())

  package init() {}

  /// What the transfer has cost so far.
  package var cost: TransferCost { account.cost }
  /// What the part that came first claimed; nil when it was not a video, or nobody had to ask.
  package var claim: HeaderClaim? { state.withLock(\.claim) }
  /// The Content-Type in lower case, without parameters.
  package var declaredType: String? { state.withLock(\.declaredType) }
  /// How many bytes there are to fetch, where the server says it.
  package var totalBytes: Int? { state.withLock(\.totalBytes) }

  func note(_ body: PartialBody) {
    state.withLock { state in
      state.declaredType = body.head.declaredType
      state.totalBytes = body.totalBytes
    }
  }

  func note(_ download: Download) {
    state.withLock { state in
      state.declaredType = download.declaredType
      state.totalBytes = download.bytes
    }
  }

  func note(_ claim: HeaderClaim) {
    state.withLock { $0.claim = claim }
  }
}
