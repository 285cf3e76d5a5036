import Foundation
import ObsClient
import ObsServer

/// A large document of real data: its import, the first value of a count over it, and commits beside and into what
/// that query reads.
///
/// Over a socket, server and client in this process, so CPU holds both.
@ObsActor
func measurePackages(_ file: String) async throws {
  let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
  var configuration = ServerConfiguration(port: 0)
  configuration.logLevel = .warning
  let server = try Server(configuration)
  let document = try Document()
  try await server.host(document)
  let client = Client(try await server.start().url)
  // Connecting and the first use of everything are not what is measured.
  _ = try await client.value(query: "length(@)", as: Int.self)

  let before = residentKiB()
  let parsing = Stopwatch()
  var slices = try ImportSlices(JSON(parsing: bytes, limits: .unlimited))
  let parsed = parsing.milliseconds
  let importing = Stopwatch()
  try await document.add(slices)
  let imported = importing.milliseconds
  slices = ImportSlices(.null)
  let resident = residentKiB()

  let first = Stopwatch()
  var values = client.values(
    query: "length(values(packages)[?section=='games'])",
    as: Int.self
  ).makeAsyncIterator()
  let games = try await values.next() ?? 0
  let firstValue = first.milliseconds
  let cells = document.cellCount

  // One package after the other is made larger (a field that is not read), and moved to the games and back.
  let keys = try await client.value(query: "keys(packages)[:2000]", as: [String].self)
  func measure(_ changes: [(key: String, change: JSON)]) async throws -> JSON {
    let evaluations = await server.statistics().evaluations
    let commits = Stopwatch()
    for (key, change) in changes {
      try document.apply(Commit(merge: change, at: JSONPointer(tokens: ["packages", key])))
      await nextTurn()
    }
    let spent = commits.microseconds
    let evaluated = await server.statistics().evaluations - evaluations
    return [
      "commits": .count(changes.count), "evaluations": .count(evaluated),
      "cpu_us_per_commit": .rounded(spent / Double(changes.count)),
    ]
  }
  let other = try await measure(keys.map { ($0, ["installed": -1]) })
  let read = try await measure(keys.map { ($0, ["section": "games"]) })
  // Keeps the query alive till here, and sees that it has followed.
  var last = games
  while last < document.games { last = try await values.next() ?? .max }
  report([
    "workload": "packages", "json_bytes": .count(bytes.count),
    "parse_cpu_ms": .rounded(parsed), "import_cpu_ms": .rounded(imported),
    "load_cpu_ms": .rounded(parsed + imported), "load_goal_ms": 3_000,
    "rss_kib_before": .count(before), "rss_kib": .count(resident),
    "rss_to_json": .rounded(Double(resident) * 1024 / Double(bytes.count)), "rss_goal": 10,
    "first_value_cpu_ms": .rounded(firstValue), "first_value_goal_ms": 100,
    "games": .count(games), "games_at_end": .count(last), "cells": .count(cells),
    "other_field": other, "read_field": read,
  ])
  await client.close()
  await server.stop()
}

extension Document {
  /// How many packages are games, counted here.
  fileprivate var games: Int {
    let packages = snapshot(JSONPointer(tokens: ["packages"]))?.objectValue ?? [:]
    return packages.count { $0.value.objectValue?["section"] == "games" }
  }
}
