import AssetStore
import Glibc
import RichPush
import Transfer

/// Stores assets and manifests in the store of its first argument, ever new ones, until it is killed. Prints a line
/// once the first is stored.
let store = try await openStore(
  try StoreLocation(Array(CommandLine.arguments[1].utf8)), client: HTTPClient(), workFolder: Array("/tmp".utf8))
await withThrowingTaskGroup(of: Void.self) { group in
  for writer in 0..<4 {
    group.addTask {
      for number in 0... {
        let file = try await store.makeWorkFile()
        var content = Array("\(getpid()) \(writer) \(number) ".utf8)
        content += [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300_000)
        guard write(file.descriptor, content, content.count) == content.count else { exit(1) }
        let asset = try await store.storeAsset(file, as: .png)
        _ = try await store.storeManifest(
          Array("{\"location\":\"\(asset.location)\"}".utf8), id: "\(writer)/\(number % 50)")
        if writer == 0, number == 0 { write(STDOUT_FILENO, "stored\n", 7) }
      }
    }
  }
}
