import Glibc
import Operations
import Pipeline

/// Where the worker's endpoint listens, and whom it lets add jobs.
struct EndpointOptions: Sendable {
  static let options: [Syntax.Option] = [
    .init(
      "listen", .one("ADDR:PORT"),
      "health, metrics and jobs over HTTP; \(ListenAddress.standard) by default, none for nothing"),
    .init("token-file", .one("FILE"), "what clients that add jobs have to bring, a token on each line"),
  ]
  static let details = """
    The endpoint answers GET /healthz, /readyz and /metrics (Prometheus), POST /v1/jobs with a job's document, and
    GET /v1/jobs/ID. On loopback, jobs need no token unless there is one; beyond it, they do: Authorization: Bearer and
    a line of --token-file, or the value of ENCLOSURE_TOKEN.
    """

  /// nil for no endpoint.
  let address: ListenAddress?
  /// Whether somebody chose the address: then it has to be had.
  let isChosen: Bool
  let tokens: [BearerToken]

  init(_ arguments: Arguments) throws(UsageError) {
    isChosen = arguments.has("listen")
    do throws(ListenFault) {
      switch try arguments.text("listen").map({ (text) throws(ListenFault) in try ListenOption(text) }) {
      case nil: address = .standard
      case .none?: address = nil
      case .address(let chosen)?: address = chosen
      }
    } catch {
      throw UsageError("\(arguments.given("listen")): \(error.message)")
    }
    tokens = try Self.tokens(arguments)
  }

  private static func tokens(_ arguments: Arguments) throws(UsageError) -> [BearerToken] {
    var tokens: [BearerToken] = []
    if let file = try SecretFile("token-file", of: arguments) {
      do throws(TokenFault) {
        tokens += try BearerToken.tokens(inText: file.text)
      } catch {
        throw file.fault(error.message)
      }
    }
    // A command line is for all to see, so there is no option for it.
    if let value = getenv("ENCLOSURE_TOKEN").map({ String(cString: $0) }), !value.isEmpty {
      do throws(TokenFault) {
        tokens.append(try BearerToken(value))
      } catch {
        throw UsageError("ENCLOSURE_TOKEN: \(error.message)")
      }
    }
    return tokens
  }

  /// What it comes to, for people. Listens for a moment, to see whether that is possible.
  /// - Throws: what would keep a worker from starting.
  func checked() throws(ListenFault) -> String {
    guard let address else { return "none" }
    do throws(ListenFault) {
      try address.requireAvailable()
    } catch {
      return "none: \(describe(try passedOver(error)))"
    }
    if !tokens.isEmpty { return "\(address), jobs with a token" }
    return "\(address), " + (address.isLoopback ? "jobs from this machine" : "no jobs, for there is no token")
  }

  /// Starts the endpoint.
  /// - Returns: nil where there is to be none, and where another worker on this machine has the address that nobody
  ///   chose.
  func started(_ service: WorkerService) throws(ListenFault) -> OperationsServer? {
    guard let address else { return nil }
    let configuration = OperationsConfiguration(address: address, tokens: tokens, version: EnclosureCommand.version)
    do throws(ListenFault) {
      let server = try OperationsServer(configuration, metrics: service.metrics.registry, delegate: service)
      Console.log(.listening("listening on http://\(server.address)"))
      if !server.servesJobs {
        Console.log(.endpointLimited("the endpoint takes no jobs: beyond loopback they need --token-file"))
      }
      return server
    } catch {
      Console.log(.endpointLimited("there is no endpoint: \(describe(try passedOver(error)))"))
      return nil
    }
  }

  /// The fault of an address that another worker has and nobody chose.
  /// - Throws: the fault, where it is another.
  private func passedOver(_ fault: ListenFault) throws(ListenFault) -> ListenFault {
    guard fault.isAddressInUse, !isChosen else { throw fault }
    return fault
  }
}
