import CMicroHTTPD

/// libmicrohttpd's version.
package var endpointLibraryVersion: String {
  MHD_get_version().map { String(cString: $0) } ?? ""
}
