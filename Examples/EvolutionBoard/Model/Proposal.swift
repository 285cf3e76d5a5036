import ObsServer
import Observation

/// Where a proposal stands, as its document says.
enum ProposalState: String, Codable, CaseIterable, Sendable {
  case awaitingReview = "awaiting review"
  case scheduled
  case activeReview = "active review"
  case accepted
  case previewing
  case implemented
  case returned
  case deferred
  case rejected
  case withdrawn
  case other
}

/// A proposal as the files spell it; a model is made of it.
///
/// Shape: `{"id": "SE-0475", "number": 475, "title": …, "state": "accepted", "release": null, …}`.
struct ProposalRecord: Codable, Hashable, Sendable {
  let id: String
  let number: Int
  var title: String
  var state: ProposalState
  var release: String?
  /// The day of the last change, such as `2015-11-03`.
  var updated: String
  let created: String
}

/// One proposal: an ordinary observable model, so that each field wakes only the queries that read it.
@ObsActor @Observable
final class Proposal {
  let id: String
  let number: Int
  let created: String
  var title: String
  var state: ProposalState
  var release: String?
  var updated: String

  init(_ record: ProposalRecord) {
    id = record.id
    number = record.number
    created = record.created
    title = record.title
    state = record.state
    release = record.release
    updated = record.updated
  }

  /// The year of the last change.
  var year: Int? { Int(updated.prefix(4)) }
}
