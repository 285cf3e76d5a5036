import ObsTransport

/// Lets requests in, so that no connection waits for its values behind all that another one asks for.
///
/// Requests of one connection keep their order. Connections take turns, a share of their requests each; and a turn of the
/// models starts so many queries at most, what is left waits for the next one. So a connection that comes back with two
/// hundred queries delays another one by a share of them, and one with few gets all its values together, in one write.
struct Admission {
  /// The most requests of a connection before it is the next one's turn.
  static let share = 8
  /// The most queries that one turn starts to evaluate: bounds the turn, since nobody knows beforehand what they cost.
  static let startsPerTurn = 64

  private var waiting: [ConnectionID: Line] = [:]
  /// Connections with something that waits, in the order of their next request.
  private var order: [ConnectionID] = []
  private var next = 0

  /// What one connection asked for and has not got.
  private struct Line {
    private var requests: [Request]
    private var first = 0

    init(_ request: Request) { requests = [request] }

    var isEmpty: Bool { first == requests.count }

    mutating func append(_ request: Request) { requests.append(request) }

    mutating func take() -> Request {
      defer {
        first += 1
        // Lets go of what was taken when it is the larger part.
        if first >= 16, first * 2 >= requests.count {
          requests.removeFirst(first)
          first = 0
        }
      }
      return requests[first]
    }
  }

  var isEmpty: Bool { order.isEmpty }

  /// Takes requests in the order in which they came.
  mutating func append(_ requests: [Request]) {
    for request in requests {
      let connection = request.key.connection
      if waiting[connection]?.append(request) == nil {
        waiting[connection] = Line(request)
        order.append(connection)
      }
    }
  }

  /// Hands out requests, a share of each connection's after the other, until `handle` says that this was the last one of the
  /// turn.
  mutating func admit(_ handle: (Request) -> Bool) {
    var goesOn = true
    while goesOn, next < order.count {
      let connection = order[next]
      next += 1
      guard var line = waiting.removeValue(forKey: connection) else { continue }
      var taken = 0
      while goesOn, taken < Self.share, !line.isEmpty {
        goesOn = handle(line.take())
        taken += 1
      }
      if line.isEmpty { continue }
      waiting[connection] = line
      order.append(connection)
    }
    if next == order.count {
      order.removeAll(keepingCapacity: order.capacity <= 1024)
      next = 0
    } else if next > order.count / 2 {
      order.removeFirst(next)
      next = 0
    }
  }

  /// Forgets everything that waits.
  mutating func removeAll() { self = Admission() }
}
