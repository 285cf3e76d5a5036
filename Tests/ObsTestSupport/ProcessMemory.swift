import Foundation
public import Testing

/// What this process and its sockets hold in memory.
public enum ProcessMemory {
  /// Resident memory, in KiB.
  public static func residentKiB() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .ascii)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
  }

  /// How many bytes wait in the kernel to be sent, over all connections whose own port this is, in KiB.
  public static func sendQueuesKiB(port: Int) throws -> Int {
    let hex = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - hex.count) + hex
    // Read piece by piece: the file says that it is empty, and would be taken to end with its first page.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
    defer { try? file.close() }
    var bytes = Data()
    while let piece = try file.read(upToCount: 4096), !piece.isEmpty { bytes += piece }
    // Number, own address, other address, state, send queue:receive queue …
    return String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n").dropFirst()
      .map { $0.split(separator: " ") }
      .filter { $0[1].hasSuffix(suffix) }
      .compactMap { $0[4].split(separator: ":").first.flatMap { Int($0, radix: 16) } }
      .reduce(0, +) / 1024
  }
}

extension Trait where Self == ConditionTrait {
  /// The test measures memory: under a sanitizer, which keeps what is freed and looks for leaks itself, it says nothing.
  public static var measuresMemory: Self {
    let variables = ["ASAN_OPTIONS", "TSAN_OPTIONS"]
    let sanitized = variables.contains { ProcessInfo.processInfo.environment[$0] != nil }
    return .enabled(if: !sanitized, "a sanitizer keeps freed memory, and looks for leaks itself")
  }
}
