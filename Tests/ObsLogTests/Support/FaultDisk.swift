import CFaultVFS

/// A disk for SQLite that fails on request and can lose power (CFaultVFS.h).
final class FaultDisk: Sendable {
  enum Operation: Int32 {
    case write = 0
    case sync = 1
    case truncate = 2
    case delete = 3
    case read = 4
    case openForWriting = 5
    case anyChange = 6
  }

  enum Failure: Int32 {
    case eio = 1
    case noSpace = 2
    case shortWrite = 3
    case powerLoss = 4
  }

  private let number = fault_disk_make()

  deinit { fault_disk_drop(number) }

  /// The name under which SQLite knows it.
  var vfs: String { "fault\(number)" }

  /// Lets `after` operations pass, and fails the following `times`; nil: all.
  func fail(_ operation: Operation, _ failure: Failure, after: Int = 0, times: Int? = nil) {
    fault_disk_fail(
      number,
      operation.rawValue,
      failure.rawValue,
      Int32(after),
      Int32(times ?? 0)
    )
  }

  func heal() { fault_disk_heal(number) }

  func count(_ operation: Operation) -> Int {
    Int(fault_disk_count(number, operation.rawValue))
  }

  /// The power goes; with a seed, unsynced writes are kept, lost or torn by chance.
  func powerOff(seed: UInt64 = 0) {
    fault_disk_seed(number, seed)
    fault_disk_power_off(number)
  }

  /// What a loss of power that was asked for by ``fail(_:_:after:times:)`` does.
  func seed(_ seed: UInt64) { fault_disk_seed(number, seed) }

  /// The process dies.
  func kill() { fault_disk_kill(number) }

  var unsyncedBytes: Int { Int(fault_disk_unsynced(number)) }
}
