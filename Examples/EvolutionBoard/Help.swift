/// The text of `--help`.
enum Help {
  static let text = """
    evolution-board: eleven years of Swift Evolution, replayed into live models and served over WebSocket.

    USAGE
      evolution-board [OPTIONS]            serves and replays; stays at the end until SIGTERM or Ctrl-C
      evolution-board --demo               shows clients and their values live, in this terminal
      evolution-board --demo --once        replays, prints a summary and ends (also when piped, or ONCE=1)

    OPTIONS                                ENVIRONMENT            DEFAULT
      --host H                             OBS_HOST               127.0.0.1
      --port P          0: any free port   OBS_PORT               8080; 0 for the demo
      --rate N          transactions/s     OBS_RATE               50; 200 with --once; 0: full speed
      --loop            at the end, start again
      --log-level L     debug, info, warning, error, off
                                           OBS_LOG_LEVEL          info; error for the demo
      --tls-certificate FILE               OBS_TLS_CERTIFICATE    none: plain ws://
      --tls-key FILE                       OBS_TLS_KEY
      --allow-origin O  (repeatable)       OBS_ALLOWED_ORIGINS    none; several: separated by commas
      --help

    Options win over the environment. When the server is ready it prints `listening on URL`.

    WHAT IT SERVES
      queries    inReview                  a number
                 newest(limit: 5)          [{id, title, state}], 1 to 100 of them
                 byState                   {state: count}
                 anyReturnedThisYear       true or false
                 progress                  {transaction, of, day, finished}
                 check                     parts that agree unless a value were torn
      command    setState(id, state)       {id, from, to}
      stream     transitions               {id, title, from, to, at}

    EXAMPLES (obsctl is built beside evolution-board)
      evolution-board --port 8080 --loop &
      obsctl describe
      obsctl watch --operation inReview --operation byState
      obsctl watch --operation newest --var limit=3 --format pretty
      obsctl events transitions --count 10
      obsctl call setState --var id=SE-0001 --var state=returned
      curl http://127.0.0.1:8080/healthz
      curl http://127.0.0.1:8080/metrics

    EXIT CODES
      0 done   1 could not start, or the demo found a wrong value   64 the command line makes no sense

    """
}
