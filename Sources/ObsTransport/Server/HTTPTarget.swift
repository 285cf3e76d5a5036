/// Why a request is answered before any handler sees it.
struct HTTPFault: Error, Equatable {
  let status: Int
  let text: String

  init(_ status: Int, _ text: String) {
    self.status = status
    self.text = text
  }
}

/// The target of a request line, taken apart and decoded (RFC 9112 section 3.2).
///
/// The library's own decoding cannot be used (trap 29).
struct HTTPTarget: Equatable {
  var rawPath: String
  var path: String
  var query: String
  var parameters: [HTTPRequest.Parameter]

  init(_ target: [UInt8]) throws(HTTPFault) {
    let origin = try Self.originForm(target)
    let parts = origin.split(
      separator: UInt8(ascii: "?"),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let members = parts.count > 1 ? parts[1] : []
    path = try Self.decoded(parts[0], plusIsSpace: false, "the path")
    parameters = []
    for member in members.split(separator: UInt8(ascii: "&")) {
      let sides = member.split(
        separator: UInt8(ascii: "="),
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      let name = try Self.decoded(sides[0], plusIsSpace: true, "the query")
      let value = sides.count > 1 ? try Self.decoded(sides[1], plusIsSpace: true, "the query") : ""
      parameters.append(HTTPRequest.Parameter(name: name, value: value))
    }
    // Both are UTF-8, as what decodes to UTF-8 is.
    rawPath = String(decoding: parts[0], as: UTF8.self)
    query = String(decoding: members, as: UTF8.self)
  }

  /// Path and query alone: a proxy's form of the target begins with scheme and authority.
  private static func originForm(_ target: [UInt8]) throws(HTTPFault) -> ArraySlice<UInt8> {
    if target.first == UInt8(ascii: "/") || target == [UInt8(ascii: "*")] { return target[...] }
    for scheme in ["http://", "https://"]
    where String(decoding: target.prefix(scheme.utf8.count), as: UTF8.self).lowercased() == scheme {
      let rest = target.dropFirst(scheme.utf8.count)
      let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      guard let end else { return [UInt8(ascii: "/")] }
      return rest[end] == UInt8(ascii: "/") ? rest[end...] : [UInt8(ascii: "/")] + rest[end...]
    }
    throw HTTPFault(400, "the target of a request begins with a slash")
  }

  private static func decoded(
    _ bytes: ArraySlice<UInt8>,
    plusIsSpace: Bool,
    _ place: String
  ) throws(HTTPFault) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(Self.digit), let low = rest.next().flatMap(Self.digit)
        else {
          throw HTTPFault(
            400,
            "bad percent-encoding in \(place): two hexadecimal digits follow each %"
          )
        }
        result.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: result.append(UInt8(ascii: " "))
      default: result.append(byte)
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else {
      throw HTTPFault(400, "bad percent-encoding in \(place): it is not UTF-8 when decoded")
    }
    guard !result.contains(0) else { throw HTTPFault(400, "\(place) contains a NUL") }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
