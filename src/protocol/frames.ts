// The whole wire: the frames here, the rows in them in `rows.ts` and `hook-rows.ts`. A frame is one JSON object in one WebSocket text message; `t` says which. PROTOCOL.md tells what types
// cannot: order, timeouts, who hangs up.
//
//   client                                     hookline
//     │── GET /ws (Origin, Host) ───────────────>│  refused: 403, 503 (no socket)
//     │── hello ────────────────────────────────>│
//     │<─────────────────────────────── challenge │  of a client that has a key
//     │── proof ────────────────────────────────>│  unknown client: waits for the operator
//     │<──────────────── welcome │ rejected+4001 ─│
//     │── subscribe ────────────────────────────>│
//     │<───────────── state:* at once, then after │ each change
//     │── cmd:exec {id} ────────────────────────>│
//     │<──────── cmd:output {id} … cmd:done {id} ─│
//     │── preview {id} ─────────────────────────>│
//     │<────────── preview:ok │ preview:err {id} ─│
//     │── mutate:* {id} ────────────────────────>│
//     │<──────────── mutate:ack │ mutate:err {id} ─│
import * as z from 'zod/mini'
import { DESK_ANSWERS, DESK_REQUESTS, fileFaultRow, guardRow, outputKind, outputLine } from './desk-frames.ts'
import { preview } from './preview.ts'
import { nonce, publicKey, signature } from './proof.ts'
import {
  ACCOUNT_PLACES,
  ACCOUNT_SWITCHES,
  accountRow,
  askedGrant,
  CREDENTIALS,
  copierFields,
  copierStateRow,
  crossTradeRow,
  decimal,
  editTime,
  fewCopiers,
  hookRow,
  marketStepRow,
  name,
  noticeRow,
  orderRow,
  positionRow,
  taskRow,
  time,
} from './rows.ts'
import { WIRE_LIMITS } from './wire-limits.ts'

export { WIRE_LIMITS }

/** Why hookline hangs up (behaviour 16). `retry` says what a client does next: `never` needs a person first. */
export const CLOSE_CODES = {
  goingAway: { code: 1001, retry: 'later', meaning: 'hookline is shutting down' },
  badFrame: { code: 1002, retry: 'never', meaning: 'bytes that are not a WebSocket frame' },
  badText: { code: 1007, retry: 'never', meaning: 'text that is not UTF-8' },
  tooManyFragments: { code: 1008, retry: 'never', meaning: 'a frame in more than 64 fragments' },
  tooBig: {
    code: 1009,
    retry: 'never',
    meaning: 'a frame over the limit: 16 KiB for the first, 256 KiB for later ones',
  },
  tooSlow: { code: 1013, retry: 'later', meaning: 'the client read too slowly: more than 1 MiB was waiting for it' },
  denied: {
    code: 4001,
    retry: 'never',
    meaning: 'the operator denied this client, or did not answer; `rejected` came before',
  },
  badHandshake: {
    code: 4400,
    retry: 'never',
    meaning: 'the first frame was not a valid `hello`, a second `hello` came, or too much before `welcome`',
  },
  proofFailed: {
    code: 4401,
    retry: 'never',
    meaning: 'the client did not prove that it has its key, or the one that this clientId was approved with',
  },
  noTicket: {
    code: 4402,
    retry: 'never',
    meaning: 'a page of the console did not bring a ticket of its document, or an old one: it must be loaded again',
  },
  disabled: {
    code: 4403,
    retry: 'later',
    meaning: 'listener.enabled was turned off, or the page is no longer among the allowed origins',
  },
  noHello: { code: 4408, retry: 'later', meaning: 'no `hello`, or no `proof`, within 10 s of the upgrade' },
  revoked: { code: 4409, retry: 'never', meaning: 'the operator revoked this clientId' },
  busy: {
    code: 4429,
    retry: 'later',
    meaning: 'eight clients are already waiting for the operator, or one of this origin was denied less than 30 s ago',
  },
} as const satisfies Record<string, { code: number; retry: 'later' | 'never'; meaning: string }>

export type CloseReason = keyof typeof CLOSE_CODES

/** What a client may subscribe to: the four of behaviour 125, `cross-trade` (behaviour 12), and those for what a page shows around them. */
export const TOPICS = [
  'accounts',
  'tasks',
  'hooks',
  'hook-output',
  'cross-trade',
  'portfolio',
  'focus',
  'flags',
  'notices',
  'runs',
  'fills',
  'equity',
  'proposals',
] as const
export type Topic = (typeof TOPICS)[number]

/** What a client may say in `hello` that it understands: `batches` of output, `beats`. */
const CLIENT_FEATURES = ['batches', 'beats'] as const
export type ClientFeature = (typeof CLIENT_FEATURES)[number]

/** What a hookline says in `welcome` that it answers, to a client that has said what it understands. */
export const LISTENER_FEATURES = [
  'batches',
  'runs',
  'market',
  'portfolio',
  'fills',
  'equity',
  'pnl',
  'complete',
  'copies',
  'proposals',
  'history',
  'beats',
  'decisions',
  'clients',
] as const

// --- shared values ------------------------------------------------------------------------------------------------------------

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max))
const frameId = text(WIRE_LIMITS.idLength)
const ticket = text(WIRE_LIMITS.ticketLength)

/** Without half of a character at its end. */
function cutLabel(label: string): string {
  return label.slice(0, WIRE_LIMITS.labelLength).replace(/[\uD800-\uDBFF]$/, '')
}

/** A field that a client may leave out, or leave empty. */
const blank = <T extends z.core.$ZodType>(schema: T) => z.exactOptional(z.nullable(schema))
const credential = blank(z.string().check(z.maxLength(WIRE_LIMITS.credentialLength)))
const fieldsOf = <K extends string, T>(names: readonly K[], schema: T) =>
  Object.fromEntries(names.map((each) => [each, schema])) as Record<K, T>

/**
 * An account as a client writes it. Keys are taken and never sent back; what hookline does not know is kept with the row and never shown
 * (behaviour 17).
 */
const accountEdit = z.looseObject({
  name,
  exchange: text(WIRE_LIMITS.nameLength),
  ...fieldsOf(CREDENTIALS, credential),
  ...fieldsOf(ACCOUNT_SWITCHES, blank(z.boolean())),
  ...fieldsOf(ACCOUNT_PLACES, blank(z.string().check(z.maxLength(WIRE_LIMITS.nameLength)))),
  createdAt: blank(editTime),
  updatedAt: blank(editTime),
})

/** A row as a client writes it. Weights may be negative: the copier then trades the other way (behaviour 24). Unknown fields are kept. */
const crossTradeEdit = z.looseObject({
  ...crossTradeRow.shape,
  /** Absent: as it is stored; a new row is off. */
  enabled: z.exactOptional(z.boolean()),
  copiers: z.array(z.looseObject(copierFields)).check(fewCopiers),
  updatedAt: z.exactOptional(editTime),
})

// --- client to hookline ---------------------------------------------------------------------------------------------------------

const BOTH_OR_NONE = { path: ['key'], error: 'must come with `nonce`, and it with `key`' }

/** Must be the first frame, once. `clientId` is a UUID per browser-tab namespace; `label` is shown to the operator, cut at its limit. */
const hello = z
  .object({
    t: z.literal('hello'),
    clientId: text(WIRE_LIMITS.clientIdLength),
    label: z.exactOptional(z.string().check(z.overwrite(cutLabel))),
    /** This tab leads cross-trading with enabled configs. */
    webCrossTradeActive: z._default(z.boolean(), false),
    /** A client that can prove itself: its public key, and 32 random bytes for this socket (behaviour 48). */
    key: z.exactOptional(publicKey),
    nonce: z.exactOptional(nonce),
    /** Of a page of hookline's own console without a key: what its document was given, or what the last `welcome` gave it. */
    ticket: z.exactOptional(ticket),
    /** {@link CLIENT_FEATURES}; others are ignored. Without them a client is sent the frames that there were before. */
    features: z.exactOptional(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16))),
    /** What it asks to be granted, where it is not approved yet: shown in the question, and given as far as the answer says. */
    grant: z.exactOptional(askedGrant),
  })
  .check(z.refine(({ key, nonce }) => (key === undefined) === (nonce === undefined), BOTH_OR_NONE))

/** Answers `challenge`, once: signs the client's half of the exchange (`proof.ts`). */
const proof = z.object({
  t: z.literal('proof'),
  signature,
  /** As in `hello`: of a client with a key it is for a hookline that has proved itself. */
  ticket: z.exactOptional(ticket),
})

/** Updates the session's flags after `hello`. */
const clientState = z.object({ t: z.literal('client:state'), webCrossTradeActive: z.boolean() })

/** {@link TOPICS}; one that this hookline does not know is answered by an `error`, and the others hold. */
const topics = z.array(z.string()).check(z.maxLength(16))
/** Each topic is answered by its snapshot at once; `hook-output` has none. */
const subscribe = z.object({ t: z.literal('subscribe'), topics })
const unsubscribe = z.object({ t: z.literal('unsubscribe'), topics })

/** Runs a line as if typed. `account` and `symbol` scope this run only. Answered by `cmd:output`s and one `cmd:done`. */
const cmdExec = z.object({
  t: z.literal('cmd:exec'),
  id: frameId,
  command: text(WIRE_LIMITS.commandLength),
  account: z.exactOptional(name),
  symbol: z.exactOptional(name),
  /** The run goes on though the session leaves; otherwise it ends 30 s later (behaviour 30). */
  detach: z.exactOptional(z.boolean()),
  /** By hookline's clock: read later than that, the line is refused. Absent: it runs whenever it is read. */
  latest: z.exactOptional(time),
})

/**
 * What the line would do if it ran now, worked out and not sent. Answered by `preview:ok` or `preview:err`; a later one of the session takes
 * the place of an earlier one that is not answered yet.
 */
const previewAsk = z.object({
  t: z.literal('preview'),
  id: frameId,
  command: text(WIRE_LIMITS.commandLength),
  account: z.exactOptional(name),
  symbol: z.exactOptional(name),
})

/** `upsert` needs `account`, `delete` needs `name`. Last write wins on strictly greater `updatedAt`; absent means now. */
const mutateAccount = z.object({
  t: z.literal('mutate:account'),
  id: frameId,
  op: z.enum(['upsert', 'delete']),
  account: z.exactOptional(accountEdit),
  name: z.exactOptional(name),
  updatedAt: z.exactOptional(editTime),
})

/** `create` needs `name` and `command`; `rotate` and `revoke` need `hookId`. New secrets show only in the REPL. */
const mutateHook = z.object({
  t: z.literal('mutate:hook'),
  id: frameId,
  op: z.enum(['create', 'rotate', 'revoke']),
  name: z.exactOptional(name),
  command: z.exactOptional(text(WIRE_LIMITS.commandLength)),
  account: z.exactOptional(name),
  hookId: z.exactOptional(z.string().check(z.maxLength(64))),
})

/** `upsert` needs `config`, `delete` needs `configId`. Wins only on strictly greater `updatedAt`; absent means now. */
const mutateCrossTradeConfig = z.object({
  t: z.literal('mutate:cross-trade-config'),
  id: frameId,
  op: z.enum(['upsert', 'delete']),
  config: z.exactOptional(crossTradeEdit),
  configId: z.exactOptional(z.uuid()),
  updatedAt: z.exactOptional(editTime),
})

// --- hookline to client ---------------------------------------------------------------------------------------------------------

/** hookline's half of the exchange with a client that has a key: its nonce, its public key, and its signature (`proof.ts`). */
const challenge = z.object({ t: z.literal('challenge'), nonce, key: publicKey, signature })

/** Acceptance. The client pins `listenerId`. The email is for display only; `''` when not signed in. */
const welcome = z.object({
  t: z.literal('welcome'),
  listenerId: z.string(),
  user: z.object({ email: z.string() }),
  /** {@link LISTENER_FEATURES}; only where `hello` had some. */
  features: z.exactOptional(z.array(z.string())),
  /** Of a page of the console: what it brings to the next `hello` of this document. */
  ticket: z.exactOptional(z.string()),
})

/** hookline is there, and what its clock says: right after `welcome` and then every 5 s, to a client that understands `beats`. */
const beat = z.object({ t: z.literal('beat'), at: time })

/** Trust denied; close code 4001 follows. */
const rejected = z.object({ t: z.literal('rejected') })

/** Answers a frame that has no answer of its own, or whose id is in use; the session goes on (behaviour 13). */
const errorFrame = z.object({
  t: z.literal('error'),
  error: z.string(),
  id: z.exactOptional(z.string()),
  /** A stable word, of what was refused of a proposal. */
  code: z.exactOptional(z.string()),
})

/** One or more lines of a run's output, without a trailing newline. `id` is the `cmd:exec`'s; for a hook's run it is the `runId`, and
 * `hookId` says whose. */
const cmdOutput = z.object({
  t: z.literal('cmd:output'),
  id: z.string(),
  kind: outputKind,
  text: z.string(),
  hookId: z.exactOptional(z.string()),
  /** What came after it within 50 ms; only to a client that understands `batches`. */
  lines: z.exactOptional(z.array(outputLine)),
  /** So many lines before these were left out; only there, too. */
  dropped: z.exactOptional(z.int()),
})

/** Exactly one for every `cmd:exec`. Output of work that outlives its command may follow under the same `id`. */
const cmdDone = z.object({
  t: z.literal('cmd:done'),
  id: z.string(),
  success: z.boolean(),
  error: z.exactOptional(z.string()),
  /** What it brought, in one sentence, the result first. Absent: it only printed, or failed before it changed anything. */
  outcome: z.exactOptional(z.string()),
  /** It has succeeded, and has warned of something to look after. */
  warned: z.exactOptional(z.boolean()),
  /** Of a fire that never began: `skipped`, `expired`, `refused`, `stopped`, or a later one. */
  unbegun: z.exactOptional(z.string()),
  hookId: z.exactOptional(z.string()),
})

/** Answers `preview`. A line that would fail is answered so too, with its `errors`. */
const previewOk = z.object({ t: z.literal('preview:ok'), id: z.string(), preview })
/** Nothing was worked out. `code`: `superseded` by a later one, `switched-off`, `busy`, or a later word. */
const previewErr = z.object({
  t: z.literal('preview:err'),
  id: z.string(),
  error: z.string(),
  code: z.exactOptional(z.string()),
})

/** `data`: the row as written, scrubbed; `{applied: false}` when a newer edit was stored before (behaviour 17). */
const mutateAck = z.object({ t: z.literal('mutate:ack'), id: z.string(), data: z.exactOptional(z.unknown()) })
const mutateErr = z.object({ t: z.literal('mutate:err'), id: z.string(), error: z.string() })

/** Full snapshots: at once on subscribing, then after each change (at most one per 100 ms). */
const stateAccounts = z.object({ t: z.literal('state:accounts'), accounts: z.array(accountRow) })
const stateTasks = z.object({ t: z.literal('state:tasks'), tasks: z.array(taskRow) })
const stateHooks = z.object({ t: z.literal('state:hooks'), hooks: z.array(hookRow) })

const waitingRow = z.object({ configId: z.string(), what: z.array(z.string()) })

/** A heartbeat older than 15 s makes `running` false. `configs` are those not deleted. `copiers` only while it runs. */
const stateCrossTrade = z.object({
  t: z.literal('state:cross-trade'),
  running: z.boolean(),
  pid: z.exactOptional(z.int()),
  startedAt: z.exactOptional(time),
  configCount: z.int(),
  configs: z.array(crossTradeRow),
  copiers: z.exactOptional(z.array(copierStateRow)),
  /** Rows of which something copies only after a yes at the terminal, and what that is. */
  waiting: z.exactOptional(z.array(waitingRow)),
  /** How many pages say that they lead cross-trading. */
  leading: z.exactOptional(z.int()),
})

/**
 * The account in focus, or under the `id` of a `portfolio:watch` that account: after each change and at most once a second for prices. Sent
 * first once its exchange has answered.
 */
const statePortfolio = z.object({
  t: z.literal('state:portfolio'),
  id: z.exactOptional(z.string()),
  account: z.string(),
  symbol: z.string(),
  last: decimal,
  balance: z.object({ currency: z.string(), wallet: decimal, total: decimal, used: decimal, free: decimal }),
  positions: z.array(positionRow),
  orders: z.array(orderRow),
  /** Orders that got no answer, of any process, in words: nothing is added in their symbols until that is known. Absent: none. */
  unsettled: z.exactOptional(z.array(z.string())),
  /** Of every market in it; older hooklines do not send them. */
  steps: z.exactOptional(z.array(marketStepRow)),
})

/** What commands without an account or symbol of their own use in this hookline, whether or not its exchange answers (behaviour 32). */
const stateFocus = z.object({
  t: z.literal('state:focus'),
  account: z.string(),
  symbol: z.string(),
  /** Absent where there is no such account, and while accountSync is off. */
  exchange: z.exactOptional(z.string()),
  /** Why the account does not answer; only while someone has subscribed to `portfolio`. */
  problem: z.exactOptional(z.string()),
  /** Nothing has come from its exchange for too long: figures and orders may be old, and fills may not have been told yet. */
  stale: z.exactOptional(z.boolean()),
})

/** The switches that a page feels, and how many files of the config directory are invalid (behaviours 22, 136, 137). */
const stateFlags = z.object({
  t: z.literal('state:flags'),
  remoteExec: z.boolean(),
  accountSync: z.boolean(),
  invalidFiles: z.int(),
  /** What holds up the orders of the account in focus: `reducing`, `halted`, or a later one; absent: nothing does. */
  guard: z.exactOptional(z.string()),
  /** Its orders are worked out and not sent; absent: they are sent. */
  simulated: z.exactOptional(z.boolean()),
  /** Since when, and who said so. */
  since: z.exactOptional(time),
  by: z.exactOptional(z.string()),
  /** Nothing runs but what stops and looks. */
  panic: z.exactOptional(z.object({ since: z.exactOptional(time), by: z.string() })),
  /** Every account whose orders are held up, or not sent; absent: none, or accountSync is off. */
  accounts: z.exactOptional(z.array(guardRow)),
  /** What is wrong with the files, one line each. */
  files: z.exactOptional(z.array(fileFaultRow)),
})

/** The last notices of this hookline, oldest first; empty after a start (behaviour 50). */
const stateNotices = z.object({ t: z.literal('state:notices'), notices: z.array(noticeRow) })

// --- the two unions -------------------------------------------------------------------------------------------------------------

export const clientFrame = z.discriminatedUnion('t', [
  hello,
  proof,
  clientState,
  subscribe,
  unsubscribe,
  cmdExec,
  previewAsk,
  mutateAccount,
  mutateHook,
  mutateCrossTradeConfig,
  ...DESK_REQUESTS,
])

export const serverFrame = z.discriminatedUnion('t', [
  challenge,
  welcome,
  beat,
  rejected,
  errorFrame,
  cmdOutput,
  cmdDone,
  previewOk,
  previewErr,
  mutateAck,
  mutateErr,
  stateAccounts,
  stateTasks,
  stateHooks,
  stateCrossTrade,
  statePortfolio,
  stateFocus,
  stateFlags,
  stateNotices,
  ...DESK_ANSWERS,
])

export type ClientFrame = z.output<typeof clientFrame>
export type ServerFrame = z.output<typeof serverFrame>
export type Frame<T extends (ClientFrame | ServerFrame)['t']> = Extract<ClientFrame | ServerFrame, { t: T }>
export type Portfolio = z.output<typeof statePortfolio>
export type * from './desk-frames.ts'
export type { AccountRow, CopierStateRow, CrossTradeRow as CrossTradeConfig, HookRow, TaskRow } from './rows.ts'
