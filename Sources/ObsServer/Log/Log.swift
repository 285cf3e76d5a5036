import Foundation
import ObsModel
public import ObsWire
import Synchronization

/// How important a log record is; records below the configured level are not made.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
  /// Every connection and operation.
  case debug
  /// Start, stop, drain.
  case info
  /// Refused peers and slow queries.
  case warning
  /// Faults of the server.
  case error
  /// Nothing is logged.
  case off

  /// Orders by importance.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

  /// The level of that name, such as `warning`.
  public init?(name: String) {
    guard let level = LogLevel.allCases.first(where: { "\($0)" == name.lowercased() }) else {
      return nil
    }
    self = level
  }
}

/// One structured log record: a fixed message and fields that vary.
public struct LogRecord: Sendable {
  /// How important it is.
  public var level: LogLevel
  /// The same text each time, so that it can be searched for.
  public var message: String
  /// What varies, such as `connection`, `code`, `operation`.
  public var fields: JSON.Object

  /// One JSON line: `{"time":…,"level":"info","message":…, fields…}`.
  public var line: String {
    var object = fields
    object["time"] = .double(Double(Clocks.wall() / 1_000_000) / 1000)
    object["level"] = .string("\(level)")
    object["message"] = .string(message)
    return JSON.object(object).description
  }
}

/// The least level that is logged, shared by all who log.
final class LogThreshold: Sendable {
  private let value: Atomic<Int>

  init(_ level: LogLevel) { value = Atomic(level.rawValue) }

  var level: LogLevel {
    get { LogLevel(rawValue: value.load(ordering: .relaxed)) ?? .info }
    set { value.store(newValue.rawValue, ordering: .relaxed) }
  }
}

/// Where log records go, above a level.
struct Log: Sendable {
  let threshold: LogThreshold
  let sink: @Sendable (LogRecord) -> Void

  func callAsFunction(
    _ level: LogLevel,
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> JSON.Object = [:]
  ) {
    if level < threshold.level { return }
    sink(LogRecord(level: level, message: message(), fields: fields()))
  }

  /// Writes each record as one line to standard error.
  static let standardError: @Sendable (LogRecord) -> Void = { record in
    try? FileHandle.standardError.write(contentsOf: Data((record.line + "\n").utf8))
  }
}
