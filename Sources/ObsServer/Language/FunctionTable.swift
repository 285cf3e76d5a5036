import ObsModel
import ObsQuery
import Synchronization

/// Runs a registered function of the query language.
///
/// A result, because a thrown type crashes the 6.3 compiler in a closure that changes isolation.
typealias FunctionBody = @ObsActor @Sendable ([Value]) -> Result<Value, QueryError>

/// The functions of the embedding program that queries may call by name.
///
/// Asked from the socket loop, where texts are parsed, and on ``ObsActor``, where they run.
final class FunctionTable: Sendable {
  private struct Function: Sendable {
    let signature: FunctionSignature
    let body: FunctionBody
  }

  private let functions = Mutex<[String: Function]>([:])

  func add(_ name: String, _ signature: FunctionSignature, _ body: @escaping FunctionBody) -> Bool {
    functions.withLock { table in
      if table[name] != nil { return false }
      table[name] = Function(signature: signature, body: body)
      return true
    }
  }

  var signatures: [String: FunctionSignature] {
    functions.withLock { $0.mapValues(\.signature) }
  }

  @ObsActor
  func bodies(of names: [String]) -> [String: RegisteredFunction] {
    let table = functions.withLock { $0 }
    var bodies: [String: RegisteredFunction] = [:]
    for name in names {
      guard let body = table[name]?.body else { continue }
      let bound = BoundFunction(body)
      bodies[name] = bound.call
    }
    return bodies
  }

  var names: [String] { functions.withLock { $0.keys.sorted() } }
}

/// A registered function as the evaluator calls it.
@ObsActor
private final class BoundFunction {
  private let body: FunctionBody

  init(_ body: @escaping FunctionBody) { self.body = body }

  func call(_ arguments: [Value]) throws(QueryError) -> Value { try body(arguments).get() }
}
