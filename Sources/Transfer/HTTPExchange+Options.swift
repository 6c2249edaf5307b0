import CCurl
import Glibc

extension HTTPExchange {
  func makeHandle(_ configuration: TransferConfiguration, mayShare: Bool) -> EasyHandle? {
    guard let easy = EasyHandle() else { return nil }
    let context = Unmanaged.passUnretained(self).toOpaque()
    let limits = request.limits
    dialling = easy.setCommon(
      url, policy: request.addressPolicy, configuration, mayShare: mayShare,
      Patience(
        connect: limits.connectTimeout, total: limits.totalTimeout, bytesPerSecond: limits.stallBytesPerSecond,
        stall: limits.stallTimeout))
    // What was encoded for the signature has to stay as it is.
    easy.set(CURLOPT_PATH_AS_IS, 1)
    if let signature = request.signature {
      easy.set(CURLOPT_AWS_SIGV4, signature.option)
      easy.set(CURLOPT_USERNAME, signature.accessKey)
      easy.set(CURLOPT_PASSWORD, signature.secretKey)
    } else if let credentials = url.credentials {
      easy.set(CURLOPT_HTTPAUTH, 1 << 0)  // CURLAUTH_BASIC, a macro with a cast
      easy.set(CURLOPT_USERNAME, credentials.user)
      easy.set(CURLOPT_PASSWORD, credentials.password)
    }
    easy.set(headers: request.fields.map { "\($0.name): \($0.value)" })
    switch request.method {
    case .get: easy.set(CURLOPT_HTTPGET, 1)
    case .head: easy.set(CURLOPT_NOBODY, 1)
    case .put:
      easy.set(CURLOPT_UPLOAD, 1)
      easy.set(CURLOPT_INFILESIZE_LARGE, offset: request.body.count)
    case .post:
      easy.set(CURLOPT_POST, 1)
      easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: request.body.count)
    }
    easy.set(CURLOPT_READFUNCTION, sendBody, CURLOPT_READDATA, context: context)
    easy.set(seek: seekBody, context: context)
    easy.set(CURLOPT_HEADERFUNCTION, receiveHeader, CURLOPT_HEADERDATA, context: context)
    easy.set(CURLOPT_WRITEFUNCTION, receiveBody, CURLOPT_WRITEDATA, context: context)
    easy.set(openSocket: openSocket, context: context)
    return easy.fault == nil ? easy : nil
  }
}

// C calls these on the transfer thread. They capture nothing: the context pointer is the exchange, which the transfer
// thread keeps alive as long as its easy handle.

private func exchange(_ context: UnsafeMutableRawPointer?) -> HTTPExchange? {
  context.map { Unmanaged<HTTPExchange>.fromOpaque($0).takeUnretainedValue() }
}

private func sendBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
  return exchange(context)?.give(room) ?? Int(CURL_READFUNC_ABORT)
}

private func seekBody(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
  guard origin == SEEK_SET, exchange(context)?.rewind(to: Int(offset)) == true else { return CURL_SEEKFUNC_FAIL }
  return CURL_SEEKFUNC_OK
}

private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange(context)?.take(headerLine: line) == true ? line.count : stop(line)
}

private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange(context)?.take(body: chunk) == true ? chunk.count : stop(chunk)
}

/// Any other number than that of the bytes given ends the transfer with CURLE_WRITE_ERROR, also when none was given.
private func stop(_ bytes: UnsafeRawBufferPointer) -> Int {
  bytes.isEmpty ? 1 : 0
}

private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address else { return -1 }
  return exchange(context)?.dialling?.open(address) ?? -1
}
