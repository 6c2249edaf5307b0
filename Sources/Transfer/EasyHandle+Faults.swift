import CCurl

extension EasyHandle {
  /// What is wrong with the certificate of a server that was refused for it.
  func certificateMessage(_ origin: RequestURL.Origin) -> String {
    // OpenSSL's X509_V_ERR_… numbers. With 1, libcurl's own check of the name failed before it asked for another.
    switch integer(CURLINFO_SSL_VERIFYRESULT) {
    case 0, 1, 62, 64: return "the certificate does not match the host \(origin.host)"
    case 9: return "the certificate of \(origin.name) is not valid yet"
    case 10: return "the certificate of \(origin.name) has expired"
    case 18, 19: return "the certificate of \(origin.name) is self-signed"
    case 2, 20, 21, 27: return "the certificate of \(origin.name) was not issued by a trusted authority"
    case 23: return "the certificate of \(origin.name) was revoked"
    case let number: return "the certificate of \(origin.name) is not valid (OpenSSL error \(number))"
    }
  }

  /// `: connection refused`, where the system gave a cause.
  var systemCause: String {
    let code = integer(CURLINFO_OS_ERRNO)
    return code == 0 ? "" : ": \(systemMessage(Int32(truncatingIfNeeded: code)))"
  }

  /// libcurl's fixed text for a code; it never holds anything of the URL.
  static func description(of code: CURLcode) -> String {
    curl_easy_strerror(code).map { String(cString: $0) } ?? "code \(code.rawValue)"
  }
}
