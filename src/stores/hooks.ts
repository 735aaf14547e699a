// `hooks.json` (behaviour 105): the registered commands and their secrets.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { type HookRow, hex32, hookRow, pick, type RowOf, time } from '../protocol/rows.ts'
import { requireAccountName } from './accounts.ts'
import {
  createJsonFile,
  type FileState,
  latestDerived,
  restrictReturning,
  stateOf,
  updateReturning,
} from './json-file.ts'
import { findByIdPrefix, nameKey, requireRoom, rowsUnder } from './rows.ts'
import { StoreError } from './store-error.ts'

// When the fires of a hook run: its limits, and its pause (behaviour 47).

export const MIN_SPAN_MS = 1_000
export const MAX_SPAN_MS = 24 * 60 * 60_000
/** As many fires as a limit may count: they are kept one by one. */
export const MAX_COUNTED = 200
/** In a row, before a hook is paused. */
export const MAX_FAILURES = 5

export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
export type Day = (typeof DAYS)[number]

export const POSITION_STATES = ['flat', 'long', 'short'] as const
export type PositionState = (typeof POSITION_STATES)[number]

const span = z.int().check(z.minimum(MIN_SPAN_MS), z.maximum(MAX_SPAN_MS))
const counted = z.int().check(z.minimum(1), z.maximum(MAX_COUNTED))
const clockTime = z.string().check(z.regex(/^([01]\d|2[0-3])[0-5]\d$|^2400$/, 'must be a time of day: `0930`'))

const windowRow = z.strictObject({
  from: clockTime,
  to: clockTime,
  zone: z.exactOptional(z.string().check(z.refine(isTimeZone, 'is not a time zone: `Europe/Berlin`'))),
  /** On which it begins; absent: every day. */
  days: z.exactOptional(z.array(z.enum(DAYS)).check(z.minLength(1))),
})

/** A limit that is not known, or misspelt, is a row that is not used: a hook must not run without it. */
const limitsRow = z.strictObject({
  /** From the begin of a run to that of the next. */
  cooldownMs: z.exactOptional(span),
  rate: z.exactOptional(z.strictObject({ fires: counted, ms: span })),
  /** Dollars that the orders of one fire may be worth together. */
  max: z.exactOptional(z.string().check(z.regex(/^(?!0+(\.0+)?$)\d{1,12}(\.\d{1,8})?$/, 'must be dollars: `500`'))),
  /** Runs since 00:00 UTC. */
  perDay: z.exactOptional(counted),
  window: z.exactOptional(windowRow),
  once: z.exactOptional(z.literal(true)),
  onlyIf: z.exactOptional(z.enum(POSITION_STATES)),
})

export type HookLimits = Readonly<z.infer<typeof limitsRow>>
export type HookWindow = Readonly<NonNullable<HookLimits['window']>>

/** Who paused it. `failures`: five runs in a row failed; `once`: its one run is used up. */
const PAUSED_BY = ['terminal', 'page', 'hook', 'failures', 'once'] as const
export type PausedBy = (typeof PAUSED_BY)[number]

const pauseRow = z.looseObject({
  since: time,
  by: z.enum(PAUSED_BY),
  why: z.exactOptional(z.string()),
  /** Absent: until it is resumed. */
  until: z.exactOptional(time),
})

export type HookPause = {
  readonly since: number
  readonly by: PausedBy
  readonly why?: string
  readonly until?: number
}

/** What of a hook decides whether a fire runs. */
export interface HookCare {
  readonly limits?: HookLimits
  readonly paused?: HookPause
  /** How often it was resumed: failures, and the one run of `once`, count since. */
  readonly resumed?: number
}

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const filled = z.string().check(z.minLength(1, 'must not be empty'))

export const MAX_TRIGGER_TEXT = 2_000

/** What fires it by itself; a field that is not known is a row that is not used, as in limits. */
const triggerRow = z.strictObject({
  /** A condition without its symbol, or a schedule, as it was typed. */
  text: filled.check(z.maxLength(MAX_TRIGGER_TEXT)),
  /** Whose bars and prices a condition judges; the row names the account then. Absent: a schedule. */
  symbol: z.exactOptional(filled),
  /** When it was set, ms since the epoch: an edge comes later. */
  since: time,
})

export type HookTrigger = Readonly<z.infer<typeof triggerRow>>

/** As many as all hooks together may have. */
export const MAX_PARALLEL = 100
export const MIN_MAX_AGE_MS = 1_000
export const MAX_MAX_AGE_MS = 24 * 60 * 60_000

const shape = {
  ...hookRow.shape,
  /** In the URL, not secret. */
  id: hex32,
  name: filled,
  /** The `X-Hook-Token`. */
  secret: hex32,
  command: filled,
  /** Runs at once; absent: 20 (behaviour 30). */
  parallel: z.exactOptional(z.int().check(z.minimum(1), z.maximum(MAX_PARALLEL))),
  /** How long a fire may wait before it expires; absent: 30 s. */
  maxAgeMs: z.exactOptional(z.int().check(z.minimum(MIN_MAX_AGE_MS), z.maximum(MAX_MAX_AGE_MS))),
  /** What its fires order is worked out and not sent (behaviour 40). */
  dry: z.exactOptional(z.boolean()),
  /** What its fires are held to (behaviour 47). */
  limits: z.exactOptional(limitsRow),
  when: z.exactOptional(triggerRow),
  paused: z.exactOptional(pauseRow),
  resumed: z.exactOptional(z.int().check(z.nonnegative())),
}

/** A row of `hooks.json` (behaviour 105). Fields we do not know are kept. */
export type Hook = Readonly<Omit<RowOf<typeof shape>, keyof HookCare | 'when'>> &
  HookCare & { readonly when?: HookTrigger }

/** A hook as it may leave the process. */
export type ScrubbedHook = Readonly<HookRow>

/** `parallel`: 1 to 100; `maxAgeMs`: a second to a day. */
export interface NewHook {
  readonly name: string
  readonly command: string
  readonly account?: string
  readonly parallel?: number
  readonly maxAgeMs?: number
  readonly dry?: boolean
  readonly limits?: HookLimits
  readonly when?: HookTrigger
  /** It is made so. */
  readonly paused?: HookPause
}

/** What of a hook may be edited; undefined: taken away. */
export type HookEdit = {
  readonly [field in 'account' | 'parallel' | 'maxAgeMs' | 'dry' | 'limits' | 'when']?: NewHook[field] | undefined
} & { readonly command?: string; readonly paused?: HookPause | undefined; readonly resumed?: number }

export interface HookStore extends FileState {
  /** In the order created. None once the file was deleted. */
  list(): readonly Hook[]
  /** For the listener: O(1), one stat per event-loop turn. */
  findOncePerTurn(id: string): Hook | undefined
  /** Whether some hook has this secret; in lower case. As quick as `findOncePerTurn`. */
  isSecret(text: string): boolean
  /**
   * `name`: 1 to 64 characters that are seen, with at most two combining marks in a row; `command`: 1 to 4096 characters.
   * @param maxHooks how many there may be; default: any number
   * @throws {StoreError} `invalid-value`; `too-many`; `already-exists` when a hook has that name in whatever case
   */
  create(input: NewHook, maxHooks?: number): Promise<Hook>
  /** By name, by whole id or a prefix of at least 8 characters. @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` */
  resolve(prefix: string): Hook
  /** Gives it a new secret. @throws {StoreError} as `resolve` */
  rotate(prefix: string): Promise<Hook>
  /**
   * Changes it to what `change` says of the row as it is now; undefined: nothing. Its id, name and token stay.
   * @returns the hook as it is then @throws {StoreError} as `resolve`; `invalid-value` @throws what `change` throws
   */
  edit(prefix: string, change: (hook: Hook) => HookEdit | undefined): Promise<Hook>
  /** @returns the hook that is gone @throws {StoreError} as `resolve` */
  revoke(prefix: string): Promise<Hook>
  /** @returns how many there were */
  revokeAll(): Promise<number>
}

interface HooksFile {
  readonly hooks: readonly Hook[]
}

export function openHookStore(directory: string, now: () => number = Date.now): HookStore {
  const file = createJsonFile<HooksFile>({
    path: join(directory, 'hooks.json'),
    ...rowsUnder<'hooks', Hook, HooksFile>('hooks', () => z.looseObject(shape)),
    defaults: { hooks: [] },
  })
  const indexOf = latestDerived(({ hooks }: HooksFile) => new Map(hooks.map((hook) => [hook.id, hook])))

  const secretsOf = latestDerived(({ hooks }: HooksFile) => new Set(hooks.map(({ secret }) => secret)))

  /** Changes the one hook meant by `prefix`; no result: removes it. What takes something away holds here at once. */
  async function changeOne(
    prefix: string,
    change: (hook: Hook) => Hook | undefined,
    write: typeof updateReturning = updateReturning,
  ): Promise<Hook> {
    const found = findHook(file.read().hooks, prefix)
    return write(file, (content) => {
      const isLasting = write === restrictReturning
      const hook = isLasting ? content.hooks.find(({ id }) => id === found.id) : findHook(content.hooks, found.id)
      if (hook === undefined) return [content, found]
      const next = change(hook)
      if (next === hook) return [content, hook]
      const hooks = content.hooks.flatMap((row) => (row.id === hook.id ? (next ?? []) : row))
      return [{ ...content, hooks }, next ?? hook]
    })
  }

  return {
    list: () => file.read().hooks,
    findOncePerTurn: (id) => indexOf(file.readOncePerTurn()).get(id),
    isSecret: (text) => secretsOf(file.readOncePerTurn()).has(text),
    async create({ name, command, account, ...rest }, maxHooks = Number.POSITIVE_INFINITY) {
      requireHook(name, command, account)
      const { parallel, maxAgeMs, dry, limits, when, paused } = rest
      const hook = edited(
        { id: random32(), name, secret: random32(), command, ...defined({ account }), createdAt: now() },
        { parallel, maxAgeMs, dry, limits, when, paused },
      )
      await file.update((content) => {
        requireRoom(content.hooks.length, maxHooks, 'hooks')
        refuseTakenName(content.hooks, name)
        return { ...content, hooks: [...content.hooks, hook] }
      })
      return hook
    },
    resolve: (prefix) => findHook(file.read().hooks, prefix),
    rotate: (prefix) => {
      const secret = random32()
      return changeOne(prefix, (hook) => ({ ...hook, secret }), restrictReturning)
    },
    edit: (prefix, change) =>
      changeOne(prefix, (hook) => {
        const edit = change(hook)
        if (edit?.command !== undefined) requireCommand(edit.command)
        return edit === undefined ? hook : edited(hook, edit)
      }),
    revoke: (prefix) => changeOne(prefix, () => undefined, restrictReturning),
    revokeAll: () =>
      restrictReturning(file, (content) => {
        const count = content.hooks.length
        return [count === 0 ? content : { ...content, hooks: [] }, count]
      }),
    ...stateOf(file),
  }
}

export function scrubHook(hook: Hook): ScrubbedHook {
  return pick(hookRow, hook)
}

function edited(hook: Hook, edit: HookEdit): Hook {
  const fields = Object.entries({ ...hook, ...edit }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields) as unknown as Hook
}

function random32(): string {
  return randomBytes(16).toString('hex')
}

function findHook(hooks: readonly Hook[], prefix: string): Hook {
  return findByIdPrefix(hooks, { prefix, idOf: (hook) => hook.id, nameOf: (hook) => hook.name, noun: 'hook' })
}

function requireHook(name: string, command: string, account: string | undefined): void {
  refuseName(name)
  requireCommand(command)
  if (account !== undefined) requireAccountName(account)
}

function requireCommand(command: string): void {
  if (command.trim() !== '' && command.length <= 4096) return
  throw new StoreError('invalid-value', 'that cannot be the command of a hook', {
    hint: 'give a command line of 1 to 4096 characters',
  })
}

/** What is not seen, or is drawn over its neighbours: two names that look alike must be one. Every blank but the space is among it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u
const STACKED = /^\p{M}|\p{M}{3}/u

/** Rows of a file that was made before, or by hand, are used whatever their names. */
function refuseName(name: string): void {
  const length = [...name].length
  // `hook revoke --all` must never be the name of one.
  if (name.trim() !== name || name.startsWith('-') || length < 1 || length > 64) {
    throw new StoreError('invalid-value', 'that cannot be the name of a hook', {
      hint: 'use 1 to 64 characters on one line, without blanks around them or a - before them',
    })
  }
  if (!UNSEEN.test(name) && !STACKED.test(name)) return
  throw new StoreError('invalid-value', 'that cannot be the name of a hook: not all of its characters show', {
    hint: 'use characters that show as themselves, with at most two accents on each',
  })
}

function refuseTakenName(hooks: readonly Hook[], name: string): void {
  const taken = hooks.find((hook) => nameKey(hook.name) === nameKey(name))
  if (taken === undefined) return
  throw new StoreError('already-exists', `a hook named \`${taken.name}\` already exists`, {
    hint: `choose another name, or type \`hook revoke ${taken.id.slice(0, 8)}\` first`,
  })
}
