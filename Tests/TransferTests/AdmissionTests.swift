import Testing

@testable import Transfer

struct AdmissionTests {
  @Test("no more run than allowed, overall and per host")
  func limits() {
    var admission = Admission<Int>(overall: 3, perHost: 2)
    for number in 1...4 { admission.add(number, host: "a") }
    #expect([admission.next(), admission.next(), admission.next()] == [1, 2, nil])
    admission.add(10, host: "b")
    admission.add(11, host: "b")
    #expect([admission.next(), admission.next()] == [10, nil])
    // "b" has been waiting for longer: "a" had no room until now.
    admission.finished(host: "a")
    #expect([admission.next(), admission.next()] == [11, nil])
    admission.finished(host: "b")
    #expect([admission.next(), admission.next()] == [3, nil])
    admission.finished(host: "b")
    #expect(admission.next() == nil, "two of a are running")
    admission.finished(host: "a")
    #expect([admission.next(), admission.next()] == [4, nil])
  }

  @Test("hosts take turns")
  func turns() {
    var admission = Admission<Int>(overall: 1, perHost: 1)
    for number in 1...100 { admission.add(number, host: "busy") }
    admission.add(1000, host: "quiet")
    var order: [Int] = []
    while let number = admission.next() {
      order.append(number)
      admission.finished(host: number < 1000 ? "busy" : "quiet")
    }
    #expect(order.count == 101)
    #expect(order.prefix(3).contains(1000))
    #expect(order.filter { $0 < 1000 } == Array(1...100))
  }

  @Test("who is set aside leaves its place to the next of its host, up to a number, and still counts overall")
  func aside() {
    var admission = Admission<Int>(overall: 4, perHost: 1, asidePerHost: 2)
    for number in 1...6 { admission.add(number, host: "a") }
    #expect([admission.next(), admission.next()] == [1, nil])
    #expect([admission.setAside(host: "a")] == [true])
    #expect([admission.next(), admission.next()] == [2, nil])
    #expect([admission.setAside(host: "a")] == [true])
    #expect([admission.next(), admission.next()] == [3, nil])
    #expect([admission.setAside(host: "a")] == [false], "two are already")
    admission.add(10, host: "b")
    admission.add(11, host: "c")
    #expect([admission.next(), admission.next()] == [10, nil], "four run")
    admission.finished(host: "a", wasAside: true)
    #expect(admission.next() == 11)
    admission.finished(host: "a")
    #expect([admission.next(), admission.next()] == [4, nil])
    #expect(!admission.isEmpty && admission.isWanted(host: "a") && !admission.isWanted(host: "b"))
  }

  @Test("a host's limit may change while others wait")
  func limitGrows() {
    var admission = Admission<Int>(overall: 10, perHost: 1)
    for number in 1...4 { admission.add(number, host: "a") }
    #expect([admission.next(), admission.next()] == [1, nil])
    admission.setLimit(3, host: "a")
    #expect([admission.next(), admission.next(), admission.next()] == [2, 3, nil])
    for _ in 1...3 { admission.finished(host: "a") }
    admission.add(5, host: "a", limit: 1)
    #expect([admission.next(), admission.next()] == [4, nil])
  }
}
