// Apart from the frames: a module that needs a limit does not have all their schemas built, which costs each start a millisecond
// (quality/bench/start-up).
import { NAME_LENGTH } from './rows.ts'

/** Bounds of the wire: sizes in bytes, lengths in UTF-16 units, times in ms (behaviours 140, 141). */
export const WIRE_LIMITS = {
  clientIdLength: 64,
  labelLength: 200,
  /** A client's `id` of `cmd:exec` and `mutate:*` (behaviour 15). */
  idLength: 64,
  commandLength: 8_192,
  nameLength: NAME_LENGTH,
  ticketLength: 256,
  /** A key, a secret, a private key in PEM. */
  credentialLength: 4_096,
  firstFrameBytes: 16_384,
  frameBytes: 262_144,
  /** Frames that wait for `welcome`; together they may have `firstFrameBytes`. */
  earlyFrames: 8,
  /** Messages, pings and pongs of a client before its `welcome`, in a second. */
  earlyFramesPerSecond: 10,
  /** From the upgrade to `hello`, and to the `proof` of a client that has a key. */
  helloMs: 10_000,
  /** hookline pings this often; two unanswered pings end the session. */
  pingMs: 25_000,
  /** Between two `beat`s, to a client that understands them. */
  beatMs: 5_000,
  /** How long after it was sent a line of `hookline/client` may still begin, unless it says otherwise. */
  lineMs: 30_000,
  /** `cmd:exec` runs of one session under way at once (behaviour 30). */
  runsPerSession: 64,
  /** `preview`s of one session worked out at once, begun in a second, and how long one may take. */
  previewsPerSession: 1,
  previewsPerSecond: 10,
  previewMs: 5_000,
  /** Proposals of one client that wait for the operator, and in an hour where its grant names no other number. */
  proposalsOpen: 3,
  proposalsPerHour: 20,
  /** Why, and for how long at most. */
  reasonLength: 300,
  proposalMinutes: 30,
  /** `mutate:*` of one session not yet answered: each holds its frame while it waits for the file's lock. */
  editsPerSession: 64,
  /** Questions (`runs:query` and its like) of one session under way; they are answered one after another. */
  requestsPerSession: 16,
  /** Rows of one answer. */
  pageRows: 200,
  equityPoints: 2_000,
  /** Symbols of one `markets:query`: each is two questions to the venue. */
  watchlist: 20,
  /** Of a replay that a page asks for: candles, days, fills in its answer, and how long it may take. */
  replayCandles: 50_000,
  replayDays: 365,
  replayFills: 500,
  replayMs: 60_000,
  filterLength: 200,
  cursorLength: 200,
  /** `market:watch` and `portfolio:watch` of one session at once. */
  marketsPerSession: 8,
  portfoliosPerSession: 4,
  /** Between two frames of one watched market. */
  marketMs: 250,
  /** Levels of each side. */
  bookLevels: 20,
  candles: 500,
  completions: 100,
  /** Between two frames of output of one run, to a client that understands batches. */
  batchMs: 50,
  /** Lines of one run that wait for the next frame. */
  batchLines: 200,
} as const
