/// Runs `work`, which may block, on a thread that is not one of Swift's cooperative ones.
///
/// Swift has about one cooperative thread per core, and a system call that waits for a disk occupies one of them. A few
/// slow writes would stop everything else in the process; so whatever opens, reads, syncs or renames files goes through
/// here. At most `BlockingThreads.width` pieces of work run at a time, the rest waits in order.
///
/// Cancelling the task does not interrupt work that has been handed over: a system call ends when it ends.
package func blocking<Value: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    BlockingThreads.shared.add {
      do throws(Failure) {
        continuation.resume(returning: .success(try work()))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
  }
  return try result.get()
}
