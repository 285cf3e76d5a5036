import ObsQuery
import ObsWire

/// The members of a collection by the value of one field; exists while a live query uses one of its partitions.
final class FieldIndex {
  let field: String
  /// Remembers where the field stands in records.
  private let name: MemberName
  private let group: CellGroup
  private var buckets: [JSON: Bucket] = [:]
  private var partitions: [JSON: Partition] = [:]

  init(on field: String, of collection: ObjectNode, in group: CellGroup) {
    self.field = field
    name = MemberName(field)
    self.group = group
    collection.forEach { key, content in
      if let value = value(of: content) { put(key, content, under: value) }
      return true
    }
  }

  /// What the field of a member is to `==` in a query; nil for a container, which equals no plain value.
  func value(of member: Content) -> JSON? {
    guard let record = member.node as? ObjectNode else { return .null }
    return value(ofField: record[name])
  }

  /// The same of the field itself; an absent one is null to a query.
  func value(ofField content: Content?) -> JSON? {
    guard let content else { return .null }
    return content.scalar
  }

  /// The members whose field has this value.
  func bucket(_ value: JSON) -> Bucket? { buckets[value] }

  /// The partition of a value, if a query has read it.
  func known(_ value: JSON) -> Partition? { partitions.isEmpty ? nil : partitions[value] }

  /// The partition of a value, made if it is the first time that somebody reads it.
  func partition(_ value: JSON, of collection: ObjectNode) -> Partition {
    if let known = partitions[value] { return known }
    let partition = Partition(of: collection, by: self, value: value)
    partitions[value] = partition
    return partition
  }

  /// Forgets a partition that no query depends on any more, and itself with the last one.
  func drop(_ partition: Partition) {
    partitions[partition.value] = nil
    if partitions.isEmpty { group.drop(self) }
  }

  /// Keeps the members under the value of their field.
  func move(_ key: String, from old: JSON?, to new: JSON?, _ member: Content?) {
    if let old, old != new, let bucket = buckets[old] { buckets[old] = bucket.removing(key) }
    if let new, let member { put(key, member, under: new) }
  }

  private func put(_ key: String, _ member: Content, under value: JSON) {
    if case .many(let members)? = buckets[value] { return members.append(key, member) }
    buckets[value] = buckets[value]?.putting(key, member) ?? .one(key, member)
  }
}
