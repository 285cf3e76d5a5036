import Glibc

/// Reads a pipe that does not block, and posts what comes line by line.
struct LineReader {
  /// Whether more may come.
  private(set) var isOpen = true
  private let file: Int32
  private let lines: Mailbox<String>
  private var unfinished: [UInt8] = []

  init(_ file: Int32, _ lines: Mailbox<String>) {
    self.file = file
    self.lines = lines
  }

  /// Reads what is there.
  mutating func read() {
    var piece = [UInt8](repeating: 0, count: 65536)
    while isOpen {
      let count = unsafe Glibc.read(file, &piece, piece.count)
      if count > 0 {
        add(piece[..<count])
      } else if count == 0 || ![EAGAIN, EINTR].contains(errno) {
        isOpen = false
      } else if errno == EAGAIN {
        return
      }
    }
  }

  /// Reads what is there, and says that nothing more comes.
  mutating func finish() {
    read()
    isOpen = false
    if !unfinished.isEmpty { post(unfinished[...]) }
    lines.finish()
  }

  private mutating func add(_ piece: ArraySlice<UInt8>) {
    var rest = piece
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      post(unfinished + rest[..<end])
      unfinished = []
      rest = rest[(end + 1)...]
    }
    unfinished += rest
  }

  private func post(_ line: some Sequence<UInt8>) {
    lines.post(String(decoding: Array(line), as: UTF8.self))
  }
}
