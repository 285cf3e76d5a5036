import ObsWire

/// One thing that live queries depend on: a member, a membership, a column, a partition.
///
/// Made when a query first reads the thing, freed with the last query that has read it.
final class Cell {
  enum Kind {
    /// Which keys or how many elements there are.
    case members
    /// The members that are plain values, and what kind of container the others are.
    case values
    /// One member, present or absent.
    case member(String)
    /// One element.
    case element(Int)
    /// The whole subtree.
    case deep
    /// One field of all records, with all that is in it.
    case column(String)
    /// All fields of all records.
    case anyColumn
  }

  let kind: Kind
  let group: CellGroup
  // The evaluations that depend on this. Most cells have one, and for a moment the next one of the same query: no table
  // is made for them.
  private var first: ReadSet?
  private var second: ReadSet?
  private var others: [ObjectIdentifier: ReadSet] = [:]

  /// The evaluation that noted this last.
  var noted: UInt64 = 0
  /// The commit that waits to fire this.
  var queued: UInt64 = 0
  /// When this was fired last; 0 for never.
  private(set) var fired: UInt64 = 0
  private var madeName: String?

  init(_ kind: Kind, in group: CellGroup) {
    self.kind = kind
    self.group = group
  }

  /// Makes an evaluation depend on this.
  func add(_ evaluation: ReadSet) {
    if first == nil {
      first = evaluation
    } else if second == nil {
      second = evaluation
    } else {
      others[ObjectIdentifier(evaluation)] = evaluation
    }
  }

  /// Forgets an evaluation; the cell is freed with the last one.
  func remove(_ evaluation: ReadSet) {
    if first === evaluation {
      first = nil
    } else if second === evaluation {
      second = nil
    } else {
      others[ObjectIdentifier(evaluation)] = nil
    }
    if first == nil, second == nil, others.isEmpty { group.drop(self) }
  }

  /// Wakes all who depend on this.
  func fire(at time: UInt64) {
    fired = time
    // While the record is still where it was read.
    _ = name
    first?.fire()
    second?.fire()
    for evaluation in others.values { evaluation.fire() }
  }

  /// The name for people: `issues/i02/title`, `issues (members)`, `rows[region=7]/*/score`.
  var name: String {
    if let madeName { return madeName }
    let place = group.path
    let made =
      switch kind {
      case .members: (place.isEmpty ? "$" : place) + " (members)"
      case .values: (place.isEmpty ? "$" : place) + " (values)"
      case .deep: (place.isEmpty ? "$" : place) + " (all)"
      case .member(let key): Cell.join(place, PointerToken.escaped(key))
      case .element(let index): Cell.join(place, "\(index)")
      case .column(let field): Cell.join(place, "*/" + PointerToken.escaped(field))
      case .anyColumn: Cell.join(place, "*/*")
      }
    madeName = made
    return made
  }

  private static func join(_ place: String, _ rest: String) -> String {
    place.isEmpty ? rest : place + "/" + rest
  }
}
