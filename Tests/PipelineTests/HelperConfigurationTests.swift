import Testing

@testable import Pipeline

@Test(
  "a container's share of the processors is rounded up, and no limit is none",
  arguments: [
    ("200000 100000\n", 2), ("150000 100000\n", 2), ("10000 100000\n", 1), ("max 100000\n", nil), ("", nil),
    ("0 100000", nil), ("100000", nil), ("1 2 3", nil),
  ])
func processorsOfContainer(quota: String, expected: Int?) {
  #expect(HelperConfiguration.processors(quota: quota) == expected)
  #expect(HelperConfiguration.processors >= 1)
}
