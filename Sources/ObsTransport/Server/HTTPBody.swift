/// Assembles the body of one request.
struct HTTPBodyReader {
  private enum Place {
    /// Bytes of a body of known length, or of a chunk, that are still to come.
    case bytes(Int, inChunk: Bool)
    case chunkSize
    case chunkEnd
    case trailer
    case end
  }

  private var place: Place
  private let limit: Int
  private var trailerBytes = 0
  private(set) var body: [UInt8] = []

  /// The most bytes of a line between chunks.
  private static let maximumLine = 256
  /// The most bytes of all trailers, which are ignored.
  private static let maximumTrailer = 8192

  init(_ framing: HTTPHead.Body, limit: Int) {
    self.limit = limit
    switch framing {
    case .none: place = .end
    case .length(let length):
      place = .bytes(length, inChunk: false)
      // The announced length is a claim only.
      body.reserveCapacity(min(length, 65536))
    case .chunked: place = .chunkSize
    }
  }

  /// Takes what has arrived; true when the body is complete.
  mutating func read(_ input: inout HTTPInput) throws(HTTPFault) -> Bool {
    while true {
      switch place {
      case .end: return true
      case .bytes(let missing, let inChunk):
        let taken = input.move(atMost: missing, to: &body)
        guard taken == missing else {
          place = .bytes(missing - taken, inChunk: inChunk)
          return false
        }
        place = inChunk ? .chunkEnd : .end
      case .chunkSize:
        guard let line = try Self.line(&input) else { return false }
        let size = try Self.size(line)
        guard size <= limit - body.count else { throw HTTPFault.bodyTooLarge(limit) }
        place = size == 0 ? .trailer : .bytes(size, inChunk: true)
      case .chunkEnd:
        guard let line = try Self.line(&input) else { return false }
        guard line.isEmpty else { throw Self.malformed }
        place = .chunkSize
      case .trailer:
        let fault = HTTPFault(431, "trailers have at most \(Self.maximumTrailer) bytes")
        guard let line = try input.line(limit: Self.maximumTrailer, fault) else { return false }
        trailerBytes += line.count
        guard trailerBytes <= Self.maximumTrailer else { throw fault }
        if line.isEmpty { place = .end }
      }
    }
  }

  private static let malformed = HTTPFault(400, "the chunks of the body are malformed")

  private static func line(_ input: inout HTTPInput) throws(HTTPFault) -> [UInt8]? {
    try input.line(limit: maximumLine, malformed)
  }

  /// The hexadecimal size at the begin of a chunk; extensions behind a semicolon are ignored.
  private static func size(_ line: [UInt8]) throws(HTTPFault) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    let rest = line[digits.endIndex...].drop { $0 == UInt8(ascii: " ") }
    guard !digits.isEmpty, digits.count <= 15, rest.isEmpty || rest.first == UInt8(ascii: ";"),
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw malformed }
    return size
  }
}
