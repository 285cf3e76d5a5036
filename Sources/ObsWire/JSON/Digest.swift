import CCrypto

/// Names content: the first 16 bytes of SHA-256 over the canonical bytes of a JSON value, in base64url, 22 characters.
///
/// Equal values have equal digests on every node and in every process (PROTOCOL.md, digests).
public enum Digest {
  /// How many characters a digest has.
  public static let length = 22

  /// Whether a text has the form of a digest: 22 characters of base64url.
  public static func isDigest(_ text: String) -> Bool {
    text.utf8.count == length
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The digest of a value.
  public static func of(_ json: JSON) -> String { of(canonical: Canonical.bytes(json)) }

  /// The digest of a value's canonical bytes.
  public static func of(canonical bytes: [UInt8]) -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    let succeeded = unsafe bytes.withUnsafeBytes { input in
      unsafe hash.withUnsafeMutableBufferPointer { output in
        unsafe ccrypto_sha256(input.baseAddress, input.count, output.baseAddress)
      }
    }
    precondition(succeeded == 1, "libcrypto has no SHA-256")
    return base64URL(hash[..<16])
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// Without padding. (Foundation's has the other alphabet, and putting that right costs more than the hash.)
  private static func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var bits = 0
    var waiting = 0
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      waiting += 8
      while waiting >= 6 {
        waiting -= 6
        text.append(alphabet[bits >> waiting & 63])
      }
      bits &= 1 << waiting - 1
    }
    if waiting > 0 { text.append(alphabet[bits << (6 - waiting) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }
}
