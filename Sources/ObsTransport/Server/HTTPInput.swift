/// Bytes of a connection that wait to be understood.
struct HTTPInput {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: more) }

  mutating func removeAll() {
    bytes = []
    start = 0
  }

  /// Moves at most `limit` bytes to the end of `destination`.
  mutating func move(atMost limit: Int, to destination: inout [UInt8]) -> Int {
    let taken = min(limit, count)
    destination.append(contentsOf: bytes[start..<(start + taken)])
    drop(taken)
    return taken
  }

  /// Takes a line without its end; nil when the end has not arrived.
  ///
  /// - Throws: `fault` when more than `limit` bytes are no line.
  mutating func line(limit: Int, _ fault: HTTPFault) throws(HTTPFault) -> [UInt8]? {
    let window = bytes[start..<min(bytes.count, start + limit)]
    guard let end = window.firstIndex(of: UInt8(ascii: "\n")) else {
      if count >= limit { throw fault }
      return nil
    }
    var line = bytes[start..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let result = Array(line)
    drop(end + 1 - start)
    return result
  }

  /// Takes a whole head as its lines, without empty lines before it; nil when its end has not arrived.
  mutating func head(limit: Int) throws(HTTPFault) -> [ArraySlice<UInt8>]? {
    // Old clients send an empty line behind a body.
    while start < bytes.count,
      bytes[start] == UInt8(ascii: "\r") || bytes[start] == UInt8(ascii: "\n")
    {
      drop(1)
    }
    var lines: [ArraySlice<UInt8>] = []
    var position = start
    while let end = bytes[position...].prefix(limit + start - position)
      .firstIndex(of: UInt8(ascii: "\n"))
    {
      var line = bytes[position..<end]
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      position = end + 1
      if line.isEmpty {
        drop(position - start)
        return lines
      }
      lines.append(line)
    }
    guard count < limit else {
      throw HTTPFault(431, "the head of a request has at most \(limit) bytes")
    }
    return nil
  }

  /// All that waits, for whoever reads on in our place.
  var rest: ArraySlice<UInt8> { bytes[start...] }

  private mutating func drop(_ taken: Int) {
    start += taken
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 16384)
      start = 0
    } else if start > 65536 {
      bytes.removeFirst(start)
      start = 0
    }
  }
}
