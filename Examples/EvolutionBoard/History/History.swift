import Foundation
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

/// The history cannot be read or does not fit together: what is wrong, and where.
struct HistoryError: Error, CustomStringConvertible {
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
  init() throws(HistoryError) {
    let lines = try History.bytes(of: "swift-evolution-history.ndjson")
      .split(separator: UInt8(ascii: "\n"))
    var transactions: [Transaction] = []
    for (index, line) in lines.enumerated() {
      do {
        transactions.append(try Transaction(JSON(parsing: Array(line), limits: .unlimited)))
      } catch {
        throw HistoryError("line \(index + 1) of the history: \(error)")
      }
    }
    self.transactions = transactions

    struct File: Decodable { var proposals: [String: ProposalRecord] }
    let file = try History.bytes(of: "swift-evolution.json")
    do {
      outcome = try JSONCoding.decode(File.self, from: JSON(parsing: file, limits: .unlimited))
        .proposals
    } catch {
      throw HistoryError("swift-evolution.json: \(error)")
    }
  }

  /// Reads a file of the resource folder that SwiftPM puts beside the program.
  private static func bytes(of name: String) throws(HistoryError) -> [UInt8] {
    let file = Bundle.main.bundleURL
      .appending(path: "obs_EvolutionBoard.resources/Data/\(name)")
    do {
      return Array(try Data(contentsOf: file))
    } catch {
      throw HistoryError(
        """
        cannot read \(file.path): \(error.localizedDescription)
        The folder obs_EvolutionBoard.resources belongs beside the program; copy both.
        """
      )
    }
  }
}

extension Transaction {
  fileprivate init(_ json: JSON) throws {
    struct Line: Decodable {
      var at: String
      var ops: [JSON]
    }
    let line = try JSONCoding.decode(Line.self, from: json)
    at = line.at
    changes = try line.ops.map(Change.init)
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
      throw HistoryError("the operation \(operation) is not one that the history knows")
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
    default: throw HistoryError("a proposal has no field `\(name)` that changes")
    }
  }
}
