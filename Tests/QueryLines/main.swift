// Evaluates queries line by line, for scripts that compare with other implementations.
//
// In: {"given": …, "expression": "…", "variables": {…}}. Out: {"value": …} or {"error": "code", "message": "…"}.

import ObsQuery
import ObsWire

func answer(_ line: String) -> JSON {
  guard let request = try? JSON(parsing: line, limits: .unlimited),
    let text = request["expression"]?.stringValue
  else { return ["error": "bad-line"] }
  do throws(QueryError) {
    let expression = try Expression(parsing: text, escapes: .community)
    let query = try PreparedQuery(expression, variables: request["variables"]?.objectValue ?? [:])
    return ["value": try query.evaluate(Value(request["given"] ?? .null)).json]
  } catch {
    return ["error": .string(error.code.rawValue), "message": .string(error.description)]
  }
}

while let line = readLine() { print(answer(line)) }
