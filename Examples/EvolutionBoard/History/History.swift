import ObsHistory
import ObsServer

/// One line of the history: changes that belong together.
struct Transaction: Sendable {
  /// When it happened, such as `2015-11-03T16:20:39-08:00`.
  var at: String
  var changes: [Change]
}

/// What a JSON Patch operation of the history means, in the words of the model.
enum Change: Sendable {
  enum Field: Sendable {
    case title(String)
    case state(ProposalState)
    case release(String?)
    case updated(String)
  }

  case add(ProposalRecord)
  case replace(id: String, Field)
  case remove(id: String)
}

/// The history does not fit the model: what is wrong, and where.
struct MisfitError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The public history of the Swift Evolution proposals, and what it leads to.
struct History: Sendable {
  /// In the order in which they happened.
  let transactions: [Transaction]
  /// The proposals after all of them, from a file of their own.
  let outcome: [String: ProposalRecord]

  /// Reads the files that are shipped with the program.
  init() throws {
    var reader = try SwiftEvolution.history()
    var transactions: [Transaction] = []
    while let line = try reader.next() {
      do {
        let changes = try line.operations.map(Change.init)
        transactions.append(Transaction(at: line.at ?? "", changes: changes))
      } catch {
        throw MisfitError("line \(line.line) of the history: \(error)")
      }
    }
    self.transactions = transactions

    struct File: Decodable { var proposals: [String: ProposalRecord] }
    outcome = try JSONCoding.decode(File.self, from: SwiftEvolution.outcome()).proposals
  }
}

extension Change {
  /// Reads an operation on `/proposals/ID` or `/proposals/ID/FIELD`.
  fileprivate init(_ operation: JSON) throws {
    let name = operation["op"]?.stringValue ?? ""
    let path = (operation["path"]?.stringValue ?? "").split(separator: "/").map(String.init)
    let value = operation["value"] ?? .null
    switch (name, path.count, path.first) {
    case ("add", 2, "proposals"):
      self = .add(try JSONCoding.decode(ProposalRecord.self, from: value))
    case ("remove", 2, "proposals"):
      self = .remove(id: path[1])
    case ("replace", 3, "proposals"):
      self = .replace(id: path[1], try Field(path[2], value))
    default:
      throw MisfitError("the operation \(operation) is not one that the history knows")
    }
  }
}

extension Change.Field {
  fileprivate init(_ name: String, _ value: JSON) throws {
    switch name {
    case "title": self = .title(try JSONCoding.decode(from: value, root: name))
    case "state": self = .state(try JSONCoding.decode(from: value, root: name))
    case "release": self = .release(try JSONCoding.decode(from: value, root: name))
    case "updated": self = .updated(try JSONCoding.decode(from: value, root: name))
    default: throw MisfitError("a proposal has no field `\(name)` that changes")
    }
  }
}
