import CCurl

/// libcurl's version with what it was built with, in its own words.
package var transferLibraryVersion: String {
  String(cString: curl_version())
}
