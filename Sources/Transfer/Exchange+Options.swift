import CCurl
import Glibc

extension Exchange {
  func makeHandle(_ configuration: TransferConfiguration, mayShare: Bool) -> EasyHandle? {
    guard let easy = EasyHandle() else { return nil }
    let context = Unmanaged.passUnretained(self).toOpaque()
    let limits = request.limits
    dialling = easy.setCommon(
      request.url, policy: configuration.addressPolicy, configuration, mayShare: mayShare,
      Patience(
        connect: limits.connectTimeout, total: request.remainingTime, bytesPerSecond: limits.stallBytesPerSecond,
        stall: limits.stallTimeout))
    if let credentials = request.credentials {
      easy.set(CURLOPT_HTTPAUTH, 1 << 0)  // CURLAUTH_BASIC, a macro with a cast
      easy.set(CURLOPT_USERNAME, credentials.user)
      easy.set(CURLOPT_PASSWORD, credentials.password)
    }
    var fields = ["Accept: \(acceptedTypes)", "Accept-Encoding: identity"] + request.conditions.fields
    if let range = request.part.field { fields.append("Range: \(range)") }
    if case .range = request.part, let validator = request.sink.version?.headers.rangeValidator {
      fields.append("If-Range: \(validator)")
    }
    easy.set(headers: fields)
    easy.set(CURLOPT_HEADERFUNCTION, receiveHeader, CURLOPT_HEADERDATA, context: context)
    easy.set(CURLOPT_WRITEFUNCTION, receiveBody, CURLOPT_WRITEDATA, context: context)
    easy.set(openSocket: openSocket, context: context)
    return easy.fault == nil ? easy : nil
  }
}

/// What iOS can show, and what can be made into it. Neither WebP nor AVIF is named: image services send them to whoever
/// says that he takes them, and they would have to be converted.
let acceptedTypes = """
  image/jpeg, image/png, image/gif, image/heic;q=0.9, video/mp4, video/quicktime;q=0.9, \
  audio/mpeg, audio/mp4, audio/wav;q=0.9, audio/aiff;q=0.9, */*;q=0.1
  """

// C calls these on the transfer thread. They capture nothing: the context pointer is the exchange, which the transfer
// thread keeps alive as long as its easy handle.

private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let goesOn = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().take(headerLine: line)
  return goesOn ? line.count : stop(line)
}

private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
  let goesOn = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().take(body: chunk)
  return goesOn ? chunk.count : stop(chunk)
}

/// Any other number than that of the bytes given ends the transfer with CURLE_WRITE_ERROR, also when none was given.
private func stop(_ bytes: UnsafeRawBufferPointer) -> Int {
  bytes.isEmpty ? 1 : 0
}

/// Opens the socket for one address that is about to be dialled: the place where addresses are judged.
private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context, let address else { return -1 }
  return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().dialling?.open(address) ?? -1
}
