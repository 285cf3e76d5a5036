/// What one finished turn of ``TurnExecutor`` did.
public struct Turn: Sendable {
  /// Counts turns from 1 in this process.
  public let number: UInt64
  /// Ordinary jobs that the turn ran.
  public let ordinaryJobs: Int
  /// Jobs of live-query tasks that the turn ran; an evaluation takes one or two.
  public let evaluationJobs: Int
  /// How long the turn took, from its first job to its end.
  public let nanoseconds: UInt64
}

/// Somebody who publishes at the end of each turn.
@ObsActor
public protocol TurnParticipant: AnyObject {
  /// All evaluations that the turn caused have run; what is published now is one consistent cut.
  func turnEnded(_ turn: Turn)
}

/// One life of a server process: revs of two epochs are never compared (PROTOCOL.md, "Rev and epoch").
public struct Epoch: Sendable, Hashable, CustomStringConvertible {
  /// 16 hexadecimal digits.
  public let description: String

  /// Makes a new epoch from the system's random source.
  public init() {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    description = String(repeating: "0", count: 16 - digits.count) + digits
  }
}
