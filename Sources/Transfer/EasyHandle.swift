import CCurl

/// One libcurl easy handle and the list of request headers that it points to. Used on the transfer thread only.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?
  /// The first option that libcurl did not take.
  private(set) var fault: CURLcode?

  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headers)
  }

  func set(_ option: CURLoption, _ value: Int) {
    check(enclosure_setopt_long(pointer, option, value))
  }

  /// libcurl copies the string.
  func set(_ option: CURLoption, _ value: String) {
    check(enclosure_setopt_string(pointer, option, value))
  }

  func set(_ option: CURLoption, offset value: Int) {
    check(enclosure_setopt_offset(pointer, option, curl_off_t(value)))
  }

  func set(headers lines: [String]) {
    for line in lines {
      guard let longer = curl_slist_append(headers, line) else { return check(CURLE_OUT_OF_MEMORY) }
      headers = longer
    }
    check(enclosure_setopt_pointer(pointer, CURLOPT_HTTPHEADER, headers))
  }

  /// - Parameter context: comes back as the callback's last argument, and must live as long as the transfer.
  func set(
    _ function: CURLoption, _ callback: @escaping enclosure_receive_callback, _ data: CURLoption,
    context: UnsafeMutableRawPointer
  ) {
    check(enclosure_setopt_receive(pointer, function, callback))
    check(enclosure_setopt_pointer(pointer, data, context))
  }

  func set(seek callback: @escaping enclosure_seek_callback, context: UnsafeMutableRawPointer) {
    check(enclosure_setopt_seek(pointer, CURLOPT_SEEKFUNCTION, callback))
    check(enclosure_setopt_pointer(pointer, CURLOPT_SEEKDATA, context))
  }

  func set(openSocket callback: @escaping enclosure_open_socket_callback, context: UnsafeMutableRawPointer) {
    check(enclosure_setopt_open_socket(pointer, CURLOPT_OPENSOCKETFUNCTION, callback))
    check(enclosure_setopt_pointer(pointer, CURLOPT_OPENSOCKETDATA, context))
  }

  func integer(_ info: CURLINFO) -> Int {
    enclosure_getinfo_long(pointer, info)
  }

  func offset(_ info: CURLINFO) -> Int {
    Int(enclosure_getinfo_offset(pointer, info))
  }

  func string(_ info: CURLINFO) -> String? {
    enclosure_getinfo_string(pointer, info).map { String(cString: $0) }
  }

  /// One of the `_T` times, in seconds.
  func seconds(_ info: CURLINFO) -> Double {
    Double(offset(info)) / 1e6
  }

  var timings: TransferTimings {
    TransferTimings(
      nameLookup: seconds(CURLINFO_NAMELOOKUP_TIME_T), connect: seconds(CURLINFO_CONNECT_TIME_T),
      tlsHandshake: seconds(CURLINFO_APPCONNECT_TIME_T), firstByte: seconds(CURLINFO_STARTTRANSFER_TIME_T),
      total: seconds(CURLINFO_TOTAL_TIME_T))
  }

  private func check(_ code: CURLcode) {
    if code != CURLE_OK, fault == nil { fault = code }
  }
}
