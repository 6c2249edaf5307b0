import CNATS
import Synchronization

/// One connection of the library, with what it listens to. Made, used and freed by one thread.
final class NATSLink {
  let connection: OpaquePointer
  private var subscriptions: [OpaquePointer] = []

  init(_ address: NATSAddress, _ options: NATSOptions, key: UInt, inbox: String) throws(QueueFailure) {
    connection = try NATSConnectOptions(address, options, key: key).connect()
    let context = UnsafeMutableRawPointer(bitPattern: key)
    let listeners: [(String, natsMsgHandler)] = [("\(inbox).r.*", answerArrived), ("\(inbox).p.*", messageArrived)]
    for (subject, handler) in listeners {
      var subscription: OpaquePointer?
      let status = natsConnection_Subscribe(&subscription, connection, subject, handler, context)
      guard status == NATS_OK, let subscription else {
        throw .unavailable("NATS does not let the queue listen: \(NATSFailure.text(status))")
      }
      // Never more than was asked for comes in.
      natsSubscription_SetPendingLimits(subscription, -1, -1)
      subscriptions.append(subscription)
    }
  }

  deinit {
    natsConnection_Close(connection)
    for subscription in subscriptions { natsSubscription_Destroy(subscription) }
    natsConnection_Destroy(connection)
  }
}

/// The clients that there are, by number: the library may call for one that has just been closed.
enum NATSClients {
  private struct Table {
    var last: UInt = 0
    var clients: [UInt: NATSClient] = [:]
  }

  private static let table = Mutex(Table())

  static func add() -> UInt {
    table.withLock { table in
      table.last += 1
      return table.last
    }
  }

  static func set(_ client: NATSClient, for number: UInt) { table.withLock { $0.clients[number] = client } }
  static func find(_ number: UInt) -> NATSClient? { table.withLock { $0.clients[number] } }
  static func remove(_ number: UInt) { _ = table.withLock { $0.clients.removeValue(forKey: number) } }
}

private func answerArrived(
  _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?
) {
  guard let message else { return }
  defer { natsMsg_Destroy(message) }
  NATSClient.find(UInt(bitPattern: context))?.receiveAnswer(NATSMessage(copying: message))
}

private func messageArrived(
  _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?
) {
  guard let message else { return }
  defer { natsMsg_Destroy(message) }
  NATSClient.find(UInt(bitPattern: context))?.receive(NATSMessage(copying: message))
}
