public import ObsServer

/// Runs `body` against a server on 127.0.0.1 port 0, and stops it on every path.
public func withServer(
  _ configuration: ServerConfiguration = .testing(),
  _ body: (Server, String) async throws -> Void
) async throws {
  let server = try Server(configuration)
  let address = try await server.start()
  do {
    try await body(server, address.url)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

extension ServerConfiguration {
  /// A quiet server on a port that the system chooses.
  public static func testing(
    _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) -> ServerConfiguration {
    var configuration = ServerConfiguration(port: 0)
    configuration.logLevel = .error
    change(&configuration)
    return configuration
  }
}
