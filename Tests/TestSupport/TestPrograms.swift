import Glibc

/// The programs that tests start besides the package's own. `make test` installs them.
///
/// Where one is missing its tests are skipped, and say so. With the variable REQUIRE_TEST_PROGRAMS, which .ci/run sets,
/// they run nevertheless, and fail: a check that skips what it is there for is none.
package enum TestPrograms {
  package static let chromium = "/usr/bin/chromium"

  /// Whether tests in a browser run.
  package static var haveChromium: Bool { mayRun(access(chromium, X_OK) == 0) }

  /// Whether tests run that need a program.
  static func mayRun(_ isInstalled: Bool) -> Bool {
    isInstalled || getenv("REQUIRE_TEST_PROGRAMS") != nil
  }
}
