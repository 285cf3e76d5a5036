import CCrypto
import FoundationEssentials

/// Names content: the first 16 bytes of SHA-256 over the canonical bytes of a JSON value, in base64url, 22 characters.
///
/// Equal values have equal digests on every node and in every process (PROTOCOL.md, digests).
public enum Digest {
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
    return Data(hash.prefix(16)).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
