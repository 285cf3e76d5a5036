internal import ObsModel
internal import ObsQuery
internal import ObsServer

extension Settings {
  /// One row for each field of the limits that stand together in `Limits`: queries, their evaluation, commits.
  static let language: [Setting] = [
    .size(
      "query.textBytes",
      \.server.limits.query.textBytes,
      "longest text of a query; here and in the next five: too-complex"
    ),
    .count("query.nodes", \.server.limits.query.nodes, "nodes of the parsed query"),
    .count(
      "query.depth",
      \.server.limits.query.depth,
      "deepest nesting of the parsed query",
      in: 1...ExpressionLimits.greatestDepth
    ),
    .size(
      "query.literalBytes",
      \.server.limits.query.literalBytes,
      "literals of a query together",
      in: 0...(1 << 30)
    ),
    .count(
      "query.variables",
      \.server.limits.query.variables,
      "variables, bound by let or free",
      in: 0...10_000
    ),
    .count(
      "query.degree",
      \.server.limits.query.degree,
      "how deep iterations over other collections may nest",
      in: 0...10
    ),
    .count(
      "evaluation.steps",
      \.server.limits.evaluation.steps,
      "steps of an evaluation; here and in the next four: budget-exceeded",
      in: 1...1_000_000_000
    ),
    .count(
      "evaluation.elements",
      \.server.limits.evaluation.elements,
      "elements and members that an evaluation may make",
      in: 1...1_000_000_000
    ),
    .size(
      "evaluation.stringBytes",
      \.server.limits.evaluation.stringBytes,
      "text that an evaluation may make"
    ),
    .count(
      "evaluation.padWidth",
      \.server.limits.evaluation.padWidth,
      "widest result of pad_left and pad_right, in code points",
      in: 0...1_000_000
    ),
    .size(
      "evaluation.resultBytes",
      \.server.limits.evaluation.resultBytes,
      "largest written result of an evaluation"
    ),
    .count(
      "commit.operations",
      \.server.limits.commit.operations,
      "operations of one patch; over it: error too-large"
    ),
    .count(
      "commit.depth",
      \.server.limits.commit.depth,
      "deepest nesting that a commit may leave behind",
      in: 1...Document.maximumDepth
    ),
    .count(
      "commit.copiedValues",
      \.server.limits.commit.copiedValues,
      "values that the copy operations of one patch may make",
      in: 0...1_000_000_000
    ),
    .toggle(
      "commit.allowsRootReplacement",
      \.server.limits.commit.allowsRootReplacement,
      "let a commit replace the whole document"
    ),
  ]
}
