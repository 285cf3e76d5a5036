/// The texts of `--help`.
enum Help {
  static let version = "obsctl 0.1.0"

  static func text(_ command: Invocation.Command?) -> String {
    switch command {
    case nil: overview
    case .watch?: watch
    case .call?: call
    case .events?: events
    case .describe?: describe
    }
  }

  private static let overview = """
    obsctl: watch live queries, call commands and follow events of an obs server.

    USAGE
      obsctl watch    NAME [--var name=value …]   the values of a live query, as they change
      obsctl call     NAME [--var name=value …]   one answer of a command, or of a query
      obsctl events   NAME [--var name=value …]   the events of a stream, every one
      obsctl describe                             what the server can do
      obsctl COMMAND --help                       more about one of them

    EXAMPLES
      obsctl describe
      obsctl watch inReview
      obsctl watch newest --var limit=3 --format pretty
      obsctl call setState --variables '{"id": "SE-0475", "state": "accepted"}'
      obsctl events transitions --count 10 | jq .data

    OPTIONS OF ALL COMMANDS
      --url URL         the server; default $OBS_URL, else \(Invocation.defaultURL)
      --token TOKEN     shown to the server; default $OBS_TOKEN (which does not appear in `ps`)
      --format FORMAT   ndjson: one JSON object a line, with operation, data and rev
                        value: one JSON value a line, nothing else
                        pretty: JSON over several lines, for people
      --timeout S       give up after S seconds, with exit code 75
      --ca FILE         for wss: trust the certificates in this PEM file
      --insecure        for wss: accept any certificate (for trying things out only)
      --help, --version

    EXIT CODES
        0  done: the answer came, --count was reached, the server had no more to say, or nobody reads any more
       64  the command line makes no sense
       65  the server refused the operation or its arguments
       69  nobody answers at the address
       70  something that should not happen, here or at the server
       75  --timeout was over
       77  the server wants another token
      130  Ctrl-C

    """

  private static let variables = """
      NAME, --operation NAME   the operation
      --var name=value         one argument; what is JSON is sent as JSON, anything else as text
      --variables JSON         all arguments as a JSON object
    """

  private static let watch = """
    obsctl watch: shows the values of one or more live queries, the first at once, then the newest after each change.

    USAGE
      obsctl watch NAME [--var name=value …] [NAME …] [--count N] [--timeout S] [--format FORMAT]

    On a terminal each query has one line, which is drawn again when its value changes. In a pipe, or with --format,
    each value is written as one line and flushed. A reader that is slow gets fewer values, never old ones; `skipped`
    says how many states were passed over. A lost connection is made again, which stderr tells.

    OPTIONS
    \(variables)
                               (arguments belong to the operation before them)
      --count N                end after N values
      the options of all commands: see `obsctl --help`

    EXAMPLES
      obsctl watch inReview
      obsctl watch --operation inReview --operation newest --variables '{"limit": 3}'
      obsctl watch inReview --count 1 --timeout 5 --format value      the value now, for a script
      obsctl watch inReview | jq -r '[.rev, .data] | @tsv'

    A LINE OF --format ndjson (the default in a pipe)
      {"data":17,"operation":"inReview","rev":41,"skipped":2}
      {"errors":[…],"operation":"inReview","rev":42}     the query has no value at present; one may follow

    """

  private static let call = """
    obsctl call: calls a command, or asks a query once, and prints the answer.

    USAGE
      obsctl call NAME [--var name=value …] [--key KEY] [--timeout S] [--format FORMAT]

    OPTIONS
    \(variables)
      --key KEY                names this call: it may then be sent again after a lost connection, and is done once
      the options of all commands: see `obsctl --help`

    EXAMPLES
      obsctl call setState --var id=SE-0475 --var state=accepted
      obsctl call inReview --format value

    Without --format: pretty on a terminal, value in a pipe.

    """

  private static let events = """
    obsctl events: writes every event of a stream, in order, one line each.

    USAGE
      obsctl events NAME [--var name=value …] [--count N] [--timeout S] [--format FORMAT]

    OPTIONS
    \(variables)
      --count N                end after N events
      the options of all commands: see `obsctl --help`

    EXAMPLES
      obsctl events transitions
      obsctl events transitions --count 10 --format value | jq -r .title

    A LINE OF --format ndjson (the default)
      {"data":{…},"event":7,"operation":"transitions"}
      {"data":{…},"event":1,"gap":true,"operation":"transitions"}   the connection was lost before this one: events
                                                                    may be missing
    If the reader is so slow that events would be lost, obsctl ends with the error `overflow`.

    """

  private static let describe = """
    obsctl describe: prints what the server can do: its operations with their arguments, and its limits.

    USAGE
      obsctl describe [--url URL] [--format FORMAT]

    EXAMPLES
      obsctl describe
      obsctl describe --format value | jq -r '.operations[].name'

    """
}
