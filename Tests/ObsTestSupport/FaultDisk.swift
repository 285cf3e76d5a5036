import CFaultVFS

/// A disk for SQLite that fails on request and can lose power (CFaultVFS.h).
public final class FaultDisk: Sendable {
  /// What a disk is asked for.
  public enum Operation: Int32, Sendable {
    case write = 0
    case sync = 1
    case truncate = 2
    case delete = 3
    case read = 4
    case openForWriting = 5
    case anyChange = 6
  }

  /// How it fails.
  public enum Failure: Int32, Sendable {
    case eio = 1
    case noSpace = 2
    case shortWrite = 3
    case powerLoss = 4
  }

  private let number = fault_disk_make()

  /// Makes a disk that works.
  public init() {}

  deinit { fault_disk_drop(number) }

  /// The name under which SQLite knows it.
  public var vfs: String { "fault\(number)" }

  /// Lets `after` operations pass, and fails the following `times`; nil: all.
  public func fail(_ operation: Operation, _ failure: Failure, after: Int = 0, times: Int? = nil) {
    fault_disk_fail(
      number,
      operation.rawValue,
      failure.rawValue,
      Int32(after),
      Int32(times ?? 0)
    )
  }

  /// Works again.
  public func heal() { fault_disk_heal(number) }

  /// How often it was asked.
  public func count(_ operation: Operation) -> Int {
    Int(fault_disk_count(number, operation.rawValue))
  }

  /// The power goes; with a seed, unsynced writes are kept, lost or torn by chance.
  public func powerOff(seed: UInt64 = 0) {
    fault_disk_seed(number, seed)
    fault_disk_power_off(number)
  }

  /// What a loss of power that was asked for by ``fail(_:_:after:times:)`` does.
  public func seed(_ seed: UInt64) { fault_disk_seed(number, seed) }

  /// The process dies.
  public func kill() { fault_disk_kill(number) }

  /// What is not on disk yet.
  public var unsyncedBytes: Int { Int(fault_disk_unsynced(number)) }
}
