/** Where the web server is, and all that it bounds. Times in ms, sizes in bytes. */
export const WEB_SERVER_HOST = '127.0.0.1'

/** What `localhost` may mean as well. */
export const WEB_SERVER_HOST_IPV6 = '::1'

export const WEB_SERVER_LIMITS = {
  /** From the connection to the end of the headers. */
  headersMs: 5_000,
  /** From the connection to the end of the request. */
  requestMs: 5_000,
  /** How often Node looks for connections over the two limits above. */
  connectionCheckMs: 1_000,
  /** An idle keep-alive connection. */
  keepAliveMs: 5_000,
  /** All headers of a request together; over it 431. */
  headerBytes: 16_384,
  /** A sender that takes nothing of its answer. */
  stalledMs: 20_000,
  /** Connections at once, to each address; over it, the oldest one that asks nothing makes room. */
  sockets: 256,
  /** Requests under way of one sender, where a server is asked by many. */
  requestsOfSender: 32,
  /** From one paced request to the next, of all senders together. */
  pacedMs: 10,
  /** How much of a connection is read at once: a request that is pipelined waits unread for the answer before it. */
  sliceBytes: 1_024,
  /** How late those are refused who ask too often. */
  lateMs: 1_000,
  /** How long a sender may go on with a body that was answered already. */
  lingerMs: 1_000,
  /** A JSON body; over it 413. */
  bodyBytes: 16_384,
  /** How long the holder of a taken port may take to say who it is. */
  probeMs: 1_000,
  /** How long the system may take to give back a port that a connection had (Linux: a minute in TIME_WAIT, RFC 9293, 3.6). */
  portWaitMs: 65_000,
  portRetryMs: 500,
  /** Hooklines that wait to be told that this server ends. */
  heldProofs: 16,
  /** Answers under way when it is told to stop. */
  drainMs: 1_000,
} as const
