/** Everything the listener bounds (behaviour 141). Each line has a test. Times in ms, sizes in bytes. */
export const LISTENER_LIMITS = {
  /** `mutate:*` of one client. */
  editsPerMinute: 600,
  /** From the connection to the end of the headers. */
  headersMs: 5_000,
  /** From the connection to the end of the request. */
  requestMs: 10_000,
  /** How often Node looks for connections over the two limits above: none outlives them by a whole second. */
  connectionCheckMs: 500,
  /** An idle keep-alive connection. */
  keepAliveMs: 5_000,
  /** Sockets at once; over it, the oldest one without a request is closed. */
  sockets: 256,
  /** A new connection may be silent so long before it is the first to make room. */
  silentMs: 1_000,
  /** All headers of a request together; over it 431. */
  headerBytes: 16_384,
  /** Of a body: one that is ignored, and over this, ends the connection after the answer; an alert over it is refused. */
  bodyBytes: 65_536,
  /** How long a connection with such a body may go on before it is cut. */
  lingerMs: 1_000,
  /** How long the body of an alert, which fills slots, may take to come. */
  alertBodyMs: 5_000,
  /**
   * Connections that have shown nothing yet: they share `turnMs` of each turn of the event loop, whatever their number, and are read in
   * slices of `sliceBytes`. Their answers go out at the end of the turn and take about as long again. A new one is read at once until it
   * has asked something.
   */
  strangers: { sliceBytes: 512, turnMs: 0.25 },
  /** The same of welcomed sessions, and of callers with a token that do not wait for their answers. */
  known: { sliceBytes: 16_384, turnMs: 4 },
  /** How often a taken port is tried again. */
  takeOverMs: 1_000,
  /** How long the holder of the port may take to say who it is. */
  probeMs: 1_000,
  /** Frames that wait for one client; over it the session ends with 1013. */
  unsentBytes: 1_048_576,
  /** Pings without a pong that end a session. */
  missedPongs: 2,
  /** Approved sessions at once; they do not count among `sockets`. */
  sessions: 1_024,
  /** Symbols, and accounts, that all sessions together watch; each counts once. */
  markets: 32,
  portfolios: 16,
  /** Fragments of one frame. */
  fragments: 64,
  /** Between two snapshots of a topic. */
  snapshotMs: 100,
  /** Without any connection since the start, the operator gets a hint (behaviour 142). */
  clientHintMs: 75_000,
  /** How long the runs of a session that left go on, unless they are detached. */
  departedRunMs: 30_000,
  /** Running fires at shutdown. */
  drainMs: 5_000,
} as const
