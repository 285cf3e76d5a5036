internal import ObsQuery
internal import ObsWire

/// A part of a model as a query walks it.
///
/// Nodes are made anew for each reading, know no Swift types, and are gone when the reading is over.
@ObsActor
protocol ExposureNode: Readable {}

extension ExposureNode {
  func snapshot(_ scope: ScanScope?) -> JSON {
    let walk = ExposureWalk.of(scope)
    guard walk.enter(identity) else { return .null }
    defer { walk.leave() }
    var members: [JSON.Object.Member] = []
    forEach { key, value in members.append((key, walk.snapshot(value))) }
    return form == .array ? .array(members.map(\.value)) : .object(JSON.Object(members))
  }

  /// Walks to the end; a body that does not throw makes a walk that does not.
  private func forEach(_ body: (String, Value) -> Void) {
    try? forEachMember(nil) { key, value throws(QueryError) in
      body(key, value)
      return true
    }
  }

  func write(
    _ scope: ScanScope?,
    to writer: inout JSONWriter,
    maximumBytes: Int
  ) throws(QueryError) {
    let walk = ExposureWalk.of(scope)
    guard walk.enter(identity) else { throw walk.refusal }
    defer { walk.leave() }
    if form == .array {
      writer.beginArray()
      try forEachMember(nil) { _, value throws(QueryError) in
        try walk.write(value, to: &writer, maximumBytes: maximumBytes)
        return true
      }
      writer.endArray()
    } else {
      writer.beginObject()
      try forEachMember(nil) { key, value throws(QueryError) in
        writer.key(key)
        try walk.write(value, to: &writer, maximumBytes: maximumBytes)
        return true
      }
      writer.endObject()
    }
  }
}
