public import ObsClient

/// The query of the example: what a viewer has to triage.
public struct TriageQuery: LiveQuery {
  /// The name under which a server answers it.
  public static let operation = "triage"

  /// Whose items are asked for; sent as `{"viewer": …}`.
  public var viewer: String

  /// Asks for the items of a viewer.
  public init(viewer: String) {
    self.viewer = viewer
  }

  /// What the server answers.
  public struct Value: Codable, Hashable, Sendable {
    /// The open items assigned to the viewer.
    public var assigned: [Item]
    /// How many items the viewer has been mentioned in; the badge does not read it.
    public var mentions: Int

    /// Makes one, as a server does.
    public init(assigned: [Item], mentions: Int = 0) {
      self.assigned = assigned
      self.mentions = mentions
    }
  }

  /// One row.
  public struct Item: Codable, Hashable, Sendable {
    /// The title, for lists.
    public var title: String
    /// Whether it is a pull request.
    public var isPullRequest: Bool

    /// Makes one, as a server does.
    public init(title: String, isPullRequest: Bool) {
      self.title = title
      self.isPullRequest = isPullRequest
    }
  }
}
