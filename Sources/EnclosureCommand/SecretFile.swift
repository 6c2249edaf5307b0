import Pipeline

/// What an option names that is to be kept from others: a file with something on each line.
struct SecretFile {
  let text: String
  /// As it was given.
  private let option: String
  private let path: FilePath

  /// - Returns: nil when the option was not given.
  init?(_ option: String, of arguments: Arguments) throws(UsageError) {
    guard let name = arguments.bytes(option) else { return nil }
    self.option = arguments.given(option)
    path = FilePath(bytes: name)
    do throws(FileFailure) {
      text = String(decoding: try contents(of: path, atMost: 64 << 10), as: UTF8.self)
    } catch {
      throw UsageError("\(self.option) \(path.description) cannot be read: \(error.message)")
    }
  }

  /// That the file holds something else than it should.
  func fault(_ message: String) -> UsageError {
    UsageError("\(option) \(path.description): \(message)")
  }
}
