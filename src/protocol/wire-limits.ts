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
  /** A key, a secret, a private key in PEM. */
  credentialLength: 4_096,
  firstFrameBytes: 16_384,
  frameBytes: 262_144,
  /** From the upgrade to `hello`. */
  helloMs: 10_000,
  /** hookline pings this often; two unanswered pings end the session. */
  pingMs: 25_000,
  /** `cmd:exec` runs of one session under way at once (behaviour 30). */
  runsPerSession: 64,
  /** `mutate:*` of one session not yet answered: each holds its frame while it waits for the file's lock. */
  editsPerSession: 64,
} as const
