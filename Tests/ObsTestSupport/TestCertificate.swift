import Glibc
public import ObsTransport

/// A self-signed certificate for `localhost` and 127.0.0.1, for tests only; valid until 2120.
public struct TestCertificate: Sendable {
  /// The path of the certificate, which is its own authority.
  public let certificateFile: String
  /// The path of the key.
  public let privateKeyFile: String

  /// What a server needs.
  public var options: TLSOptions {
    TLSOptions(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
  }

  /// Writes the files into a new folder of the system's temporary folder.
  public init() throws {
    var template = Array("/tmp/obs-tls-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
      guard let base = buffer.baseAddress, unsafe mkdtemp(base) != nil else { return nil }
      return unsafe String(cString: base)
    }
    guard let folder = made else { throw RawPeer.Failure(description: "no temporary folder") }
    certificateFile = folder + "/cert.pem"
    privateKeyFile = folder + "/key.pem"
    try Self.write(Self.certificate, to: certificateFile)
    try Self.write(Self.key, to: privateKeyFile)
  }

  /// Removes the files.
  public func remove() {
    unsafe unlink(certificateFile)
    unsafe unlink(privateKeyFile)
    unsafe rmdir(String(certificateFile.dropLast("/cert.pem".count)))
  }

  private static func write(_ text: String, to path: String) throws {
    let file = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    guard file >= 0 else { throw RawPeer.Failure(description: "cannot write \(path)") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    guard count == bytes.count else {
      throw RawPeer.Failure(description: "cannot write \(path)")
    }
  }

  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBZTCCAQugAwIBAgIBATAKBggqhkjOPQQDAjATMREwDwYDVQQDDAhvYnMgdGVz
    dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEzERMA8GA1UEAwwI
    b2JzIHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQGKn+gUIvVzdYzT9b8
    rrmPXf0cIa8lGbBNRVToDTgTe/T0eLyqU0JnkhpLA7JfkqnyA4wayrWQ0saykGka
    v0BTo04wTDAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwDwYDVR0TAQH/BAUw
    AwEB/zAdBgNVHQ4EFgQUdvJ3DUMbaB6i1PzJ1q6MnZCUyNUwCgYIKoZIzj0EAwID
    SAAwRQIgd/AzWOO8xFfioYLkNVRJr0Ug+X1gry8byIar50MtJQ8CIQDW6uOu7ZAG
    KAGdch0cxtgyQxUEEAA0GKoemtJ/N+FMlw==
    -----END CERTIFICATE-----

    """

  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUOlFKrfKn0alN1UF
    8Ro+munMaW+mR+g0C1Jk4eLKS+WhRANCAAQGKn+gUIvVzdYzT9b8rrmPXf0cIa8l
    GbBNRVToDTgTe/T0eLyqU0JnkhpLA7JfkqnyA4wayrWQ0saykGkav0BT
    -----END PRIVATE KEY-----

    """
}
