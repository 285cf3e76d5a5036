extension JSONError {
  /// Where in the value the place is, as the text of a JSON Pointer (RFC 6901): `/ops/3/value/price`.
  ///
  /// - Parameter bytes: the text that was refused.
  /// - Returns: the pointer of the innermost member or element that contains the place; the empty text for the whole.
  public func pointer(in bytes: [UInt8]) -> String {
    var scanner = PointerScanner()
    var index = 0
    let end = min(offset, bytes.count)
    while index < end { index = scanner.take(bytes, at: index) }
    return scanner.pointer
  }
}

/// Follows a JSON text that is right up to some place, and knows where in the value that is.
private struct PointerScanner {
  private enum Step {
    case element(Int)
    /// The key's bytes as written, and whether the value has begun.
    case member([UInt8], hasColon: Bool)
  }

  private var steps: [Step] = []

  var pointer: String {
    steps.map { step in
      switch step {
      case .element(let index): "/\(index)"
      case .member(_, hasColon: false): ""
      case .member(let key, hasColon: true): "/" + Self.token(key)
      }
    }.joined()
  }

  /// Takes what stands at a place; says where the next part is.
  mutating func take(_ bytes: [UInt8], at index: Int) -> Int {
    switch bytes[index] {
    case UInt8(ascii: "{"):
      steps.append(.member([], hasColon: false))
    case UInt8(ascii: "["):
      steps.append(.element(0))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      _ = steps.popLast()
    case UInt8(ascii: ":"):
      if case .member(let key, _)? = steps.popLast() { steps.append(.member(key, hasColon: true)) }
    case UInt8(ascii: ","):
      switch steps.popLast() {
      case .element(let place): steps.append(.element(place + 1))
      case .member: steps.append(.member([], hasColon: false))
      case nil: break
      }
    case UInt8(ascii: "\""):
      return takeString(bytes, from: index)
    default:
      break
    }
    return index + 1
  }

  private mutating func takeString(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(index + 1, bytes.count)
    if case .member(_, hasColon: false)? = steps.last {
      steps[steps.count - 1] = .member(Array(bytes[start..<end]), hasColon: false)
    }
    return end
  }

  private static func token(_ key: [UInt8]) -> String {
    PointerToken.escaped((try? JSON(parsing: key, limits: .unlimited))?.stringValue ?? "")
  }
}

/// A segment of a JSON Pointer.
package enum PointerToken {
  /// The segment as it stands in a pointer's text: `~` is `~0`, `/` is `~1`.
  package static func escaped(_ token: String) -> String {
    guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return token
    }
    var bytes: [UInt8] = []
    for byte in token.utf8 {
      switch byte {
      case UInt8(ascii: "~"): bytes.append(contentsOf: "~0".utf8)
      case UInt8(ascii: "/"): bytes.append(contentsOf: "~1".utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
