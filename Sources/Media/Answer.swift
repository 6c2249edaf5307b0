package import Preparation
import RichPush

/// Does what a request asks with the open files that came beside it, and says how it went.
package func answer(_ request: HelperRequest, descriptors: [Int32]) -> HelperReply {
  do throws(Rejection.Reason) {
    switch request {
    case .glance(let request):
      let source = try MediaFile(borrowing: try descriptor(0, of: descriptors, at: .fetch), at: .fetch)
      return HelperReply(.glance(glance(source, request)))
    case .inspect(let request):
      let source = try MediaFile(borrowing: try descriptor(0, of: descriptors, at: .inspect), at: .inspect)
      return HelperReply(.facts(try inspect(source, request)))
    case .prepare(let request):
      let source = try MediaFile(borrowing: try descriptor(0, of: descriptors, at: .prepare), at: .prepare)
      let output = try descriptor(1, of: descriptors, at: .prepare)
      return HelperReply(.prepared(try prepare(source, into: output, request)))
    case .verify(let request):
      let file = try MediaFile(borrowing: try descriptor(0, of: descriptors, at: .verify), at: .verify)
      try verify(file, request)
      return HelperReply(.verified)
    case .describe: return HelperReply(.capabilities(mediaCapabilities()))
    }
  } catch {
    return HelperReply(.rejected(error))
  }
}

private func descriptor(
  _ index: Int, of descriptors: [Int32], at stage: Rejection.Stage
) throws(Rejection.Reason) -> Int32 {
  guard descriptors.indices.contains(index) else {
    throw Rejection.Reason(.fetchFailed, at: stage, "the request came without its open file")
  }
  return descriptors[index]
}
