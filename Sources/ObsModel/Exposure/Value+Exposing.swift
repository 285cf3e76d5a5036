public import ObsQuery
internal import ObsWire

extension Value {
  /// A live object, or anything else that a field may have, as the result of a registered function.
  ///
  /// What it holds is read, and depended on, when the query reads it.
  @ObsActor @inlinable
  public init(exposing content: some Exposable) { self = content.exposed }

  /// A value that encodes itself, as the result of a registered function.
  ///
  /// Its form is that of `JSONCoding`.
  ///
  /// - Throws: `invalid-value` if it has no JSON form.
  public init(encoding content: some Encodable) throws(QueryError) {
    do {
      self.init(try JSONCoding.json(content))
    } catch let error as JSONEncodingError {
      throw QueryError(.invalidValue, "the result has no JSON form: \(error.message)")
    } catch {
      throw QueryError(.invalidValue, "the result has no JSON form: \(error)")
    }
  }
}
