import CCrypto

/// Hashes bytes that come piece by piece.
///
/// Kept by one owner; after `finish` it is used up.
@safe
final class SHA256 {
  private let context: OpaquePointer

  init() {
    guard let context = unsafe EVP_MD_CTX_new(),
      unsafe EVP_DigestInit_ex(context, SHA256.algorithm, nil) == 1
    else { fatalError("libcrypto has no SHA-256") }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  // Fetched once: looking it up costs more than hashing a small commit. Never freed, read only.
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  func update(_ bytes: [UInt8]) {
    let succeeded = unsafe bytes.withUnsafeBytes { input in
      unsafe EVP_DigestUpdate(context, input.baseAddress, input.count)
    }
    precondition(succeeded == 1, "SHA-256 failed")
  }

  func finish() -> Hash {
    var bytes = [UInt8](repeating: 0, count: Hash.count)
    let succeeded = unsafe bytes.withUnsafeMutableBufferPointer { output in
      unsafe EVP_DigestFinal_ex(context, output.baseAddress, nil)
    }
    guard succeeded == 1, let hash = Hash(bytes: bytes) else { fatalError("SHA-256 failed") }
    return hash
  }
}
