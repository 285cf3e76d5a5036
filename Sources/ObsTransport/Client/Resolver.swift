import Synchronization

/// Looks names up on threads of its own, because `getaddrinfo` blocks (trap 17).
enum Resolver {
  private struct Queue {
    var work: [@Sendable () -> Void] = []
    var threads = 0
  }
  private static let queue = Mutex(Queue())
  /// One slow name server shall not hold up everybody, and a thousand clients shall not mean a thousand threads.
  private static let maximumThreads = 4

  /// Calls `done`, on any thread, with the addresses of a name; at once when it is an address.
  static func resolve(
    _ host: String,
    passive: Bool = false,
    _ done: @escaping @Sendable (Result<[String], TransportError>) -> Void
  ) {
    if let addresses = try? SocketAddress.resolve(host, passive: passive, numericOnly: true) {
      return done(.success(addresses))
    }
    let startsThread = queue.withLock { queue in
      queue.work.append {
        done(
          Result { () throws(TransportError) in
            try SocketAddress.resolve(host, passive: passive)
          }
        )
      }
      guard queue.threads < maximumThreads else { return false }
      queue.threads += 1
      return true
    }
    guard startsThread else { return }
    do {
      try SystemThread.start(name: "obs-resolver", stackBytes: 512 << 10) { work() }
    } catch {
      work()
    }
  }

  /// The addresses of a name.
  static func resolve(_ host: String, passive: Bool = false) async throws(TransportError)
    -> [String]
  {
    try await withCheckedContinuation { done in
      resolve(host, passive: passive) { done.resume(returning: $0) }
    }.get()
  }

  private static func work() {
    while true {
      let next = queue.withLock { queue -> (@Sendable () -> Void)? in
        guard !queue.work.isEmpty else {
          queue.threads -= 1
          return nil
        }
        return queue.work.removeFirst()
      }
      guard let next else { return }
      next()
    }
  }
}
