import Glibc

/// Path of an executable that was built beside these tests.
package func builtProduct(_ name: String) -> String {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = readlink("/proc/self/exe", &buffer, buffer.count)
  let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
}

/// The folder that holds Package.swift.
package let packageFolder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

/// Path of one of the media in Fixtures.
package func fixture(_ name: String) -> String {
  "\(packageFolder)/Fixtures/media/\(name)"
}
