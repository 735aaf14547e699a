// `guards.json` (behaviour 40): the state and the limits of each account. Every hookline on the config directory reads it before each order,
// and a restart ends nothing of it. What cannot be read counts as halted.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { BoundedSet } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import { name, time } from '../protocol/rows.ts'
import type { Doubt } from './fresh-reader.ts'
import { firstDoubledKey, nearName } from './json-decode.ts'
import { createJsonFile, type FileState, type JsonFile, latestDerived, stateOf } from './json-file.ts'
import type { Panic, PanicStore } from './panic.ts'
import { rowsUnder } from './rows.ts'
import type { FilesHad } from './stops.ts'

// Its rows. A halt or a limit that would not hold because of a slip makes the whole file one that cannot be read.

/** From what lets everything through to what lets nothing through but cancels. */
const GUARD_STATES = ['active', 'reducing', 'halted'] as const
type GuardState = (typeof GUARD_STATES)[number]

/** In the order in which they are shown. */
export const LIMITS = ['order', 'position', 'day', 'loss', 'band', 'rate'] as const
export type LimitName = (typeof LIMITS)[number]

/** A decimal in text, or `off`. Absent: the default of its kind of account. */
const limit = z.string().check(z.regex(/^(?:off|\d{1,15}(?:\.\d{1,8})?)$/, 'must be a number in quotes, or "off"'))
const state = z.enum(GUARD_STATES)

const mode = {
  state: z.exactOptional(state),
  /** When the state was said, and by what; for people: `the terminal`, `hook dip`. */
  since: z.exactOptional(time),
  by: z.exactOptional(z.string()),
  /** When the last one was said that has been lifted: who slept through it must not miss it. */
  last: z.exactOptional(time),
  /** Orders are worked out and not sent. */
  simulated: z.exactOptional(z.boolean()),
} as const

const limitFields = {
  order: z.exactOptional(limit),
  position: z.exactOptional(limit),
  day: z.exactOptional(limit),
  loss: z.exactOptional(limit),
  band: z.exactOptional(limit),
  rate: z.exactOptional(limit),
  /** What open positions have lost counts as loss too. Absent: it does. */
  lossWithOpen: z.exactOptional(z.boolean()),
} as const

const everyAccount = z.looseObject(mode)
const row = () => z.looseObject({ account: name, ...mode, limits: z.exactOptional(z.looseObject(limitFields)) })

export type GuardMode = Readonly<z.infer<typeof everyAccount>>
export type StoredLimits = Readonly<{ [limit in LimitName]?: string }> & { readonly lossWithOpen?: boolean }

interface GuardRow extends GuardMode {
  readonly account: string
  readonly limits?: StoredLimits
}

interface GuardsFile {
  /** Of every account. */
  readonly all?: GuardMode
  readonly guards: readonly GuardRow[]
}

/** How the file is read and written: spread it into the options of `createJsonFile`. */
function guardRows() {
  const rows = rowsUnder<'guards', GuardRow, GuardsFile>('guards', row)
  return {
    ...rows,
    /** What holds for all accounts is beside the rows: where it cannot be read, the file cannot. */
    parse(...[value, setAside, text]: Parameters<typeof rows.parse>): GuardsFile {
      const content = rows.parse(value, setAside, text)
      if (content.all !== undefined) z.parse(everyAccount, content.all)
      refuseUnclear(content, text)
      return content
    },
  }
}

const IN_FILE = ['all', 'guards'] as const
const IN_ALL = ['state', 'since', 'by', 'last', 'simulated'] as const
const IN_ROW = [...IN_ALL, 'account', 'limits'] as const
const IN_LIMITS = [...LIMITS, 'lossWithOpen'] as const

/** A halt or a limit whose name is misspelt, or there twice, would not hold. @throws {$ZodError} */
function refuseUnclear(content: GuardsFile, text: string | undefined): void {
  const doubled = text === undefined ? undefined : firstDoubledKey(text)
  if (doubled !== undefined) throw fault([], `${JSON.stringify(doubled)} appears twice`)
  refuseNear(content, IN_FILE, [])
  refuseNear(content.all ?? {}, IN_ALL, ['all'])
  for (const [index, row] of content.guards.entries()) {
    refuseNear(row, IN_ROW, ['guards', index])
    refuseNear(row.limits ?? {}, IN_LIMITS, ['guards', index, 'limits'])
  }
}

function refuseNear(fields: object, known: readonly string[], path: readonly (string | number)[]): void {
  for (const name of Object.keys(fields).filter((each) => !known.includes(each))) {
    const near = nearName(name, known)
    if (near !== undefined) throw fault([...path, name], `is probably meant to be ${near}`)
  }
}

function fault(path: readonly (string | number)[], message: string): Error {
  return new $ZodError([{ code: 'custom', path: [...path], message, input: undefined }])
}

/** What holds for one account now: the strictest of its own state, that of all, and panic, under which an account only reduces. */
export interface Guarding {
  readonly state: GuardState
  readonly since?: number
  readonly by?: string
  /** When the account was last halted or set to reducing, lifted or not, ms since the epoch; absent: never. */
  readonly lastRestricted?: number
  readonly simulated: boolean
  /** Panic is on: `alone`, or besides a state of the account's own. */
  readonly panic?: 'alone' | 'too'
  readonly limits: StoredLimits
  /** guards.json cannot be read, or not the row of this account: why, for people. */
  readonly doubt?: string
}

export interface GuardStore extends FileState {
  /** What is not known counts as halted. */
  read(account: string): Guarding
  /** As `read()`, with one stat per event-loop turn. */
  readOncePerTurn(account: string): Guarding
  /** The state that holds for every account. */
  readAll(): GuardMode
  /** Accounts with a row, in the order of the file. */
  list(): readonly GuardRow[]
  /** Whether this process has begun or ended the state, of one account or (undefined) of all. */
  isOwn(account: string | undefined, mode: GuardMode): boolean
  /**
   * A stricter state, of one account or (undefined) of all. In this process it holds at once, in all others when the promise resolves.
   * @throws {StoreError} it holds in this process only, and is written as soon as it can be
   */
  restrict(account: string | undefined, state: Exclude<GuardState, 'active'>, by: string): Promise<void>
  /** Ends halted and reducing, of one account or (undefined) of all. @returns what has ended @throws {StoreError} */
  release(account: string | undefined): Promise<readonly EndedState[]>
  /** @throws {StoreError} */
  simulate(account: string | undefined, isOn: boolean): Promise<void>
  /** Puts these in place of the account's own; undefined: the default again. @throws {StoreError} */
  setLimits(
    account: string,
    limits: { readonly [limit in keyof StoredLimits]: StoredLimits[limit] | undefined },
  ): Promise<void>
}

export interface EndedState {
  /** undefined: of all accounts. */
  readonly account: string | undefined
  readonly state: GuardState
  readonly since?: number
  readonly by?: string
}

const NO_ROW: GuardRow = { account: '' }
const DOUBT = { bad: 'guards.json cannot be read', gone: 'guards.json is gone' } as const

interface GuardStoreOptions {
  readonly now?: () => number
  /** Absent: there is no panic. */
  readonly panic?: Pick<PanicStore, 'read' | 'readOncePerTurn' | 'watch'>
  /** Which files this directory has had, for processes that never saw them. Absent: only what this process saw counts. */
  readonly had?: FilesHad
}

export function openGuardStore(directory: string, options: GuardStoreOptions = {}): GuardStore {
  const { now = Date.now, panic, had } = options
  const file = createJsonFile<GuardsFile>({
    path: join(directory, NAME),
    ...guardRows(),
    defaults: NO_GUARDS,
    // A process that sends nothing for a while does not look.
    graceFromLastGood: true,
  })
  const modes = new GuardModes(file, now, had)
  return {
    read: (account) => underPanic(modes.of(file.read(), account), panic?.read()),
    readOncePerTurn: (account) => underPanic(modes.of(file.readOncePerTurn(), account), panic?.readOncePerTurn()),
    readAll: () => file.read().all ?? {},
    list: () => file.read().guards,
    isOwn: (account, mode) => modes.isOwn(account, mode),
    restrict: (account, state, by) => modes.restrict(account, state, by),
    release: (account) => modes.release(account),
    simulate: (account, isOn) =>
      modes.update((content) =>
        changed(content, account, ({ simulated: _, ...mode }) => (isOn ? { ...mode, simulated: true } : mode)),
      ),
    setLimits: (account, limits) =>
      modes.update((content) =>
        changedRow(content, account, (old) => ({ ...old, limits: withoutUndefined({ ...old.limits, ...limits }) })),
      ),
    ...stateOf(file),
    watch(handler) {
      const stops = [file.watch(handler), panic?.watch(handler)]
      return () => {
        for (const stop of stops) stop?.()
      }
    },
  }
}

const NAME = 'guards.json'
const NO_GUARDS: GuardsFile = { guards: [] }
const byPanic = new WeakMap<Panic, WeakMap<Guarding, Guarding>>()

/** The same reference for the same two, as callers derive from it. */
function underPanic(guarding: Guarding, panic: Panic | undefined): Guarding {
  if (panic === undefined) return guarding
  const known = byPanic.get(panic)?.get(guarding)
  if (known !== undefined) return known
  const { since, by } = panic
  const held: Guarding =
    guarding.state === 'active'
      ? { ...guarding, state: 'reducing', panic: 'alone', by, ...(since === 0 ? {} : { since }) }
      : { ...guarding, panic: 'too' }
  const ofPanic = byPanic.get(panic) ?? new WeakMap<Guarding, Guarding>()
  byPanic.set(panic, ofPanic.set(guarding, held))
  return held
}

class GuardModes {
  readonly #file: JsonFile<GuardsFile>
  readonly #now: () => number
  readonly #had: FilesHad | undefined
  readonly #byAccount = latestDerived(({ guards }: GuardsFile) => new Map(guards.map((each) => [each.account, each])))
  readonly #twins = latestDerived(({ guards }: GuardsFile) => {
    const names = guards.map(({ account }) => account)
    return new Set(names.filter((name, index) => names.indexOf(name) !== index))
  })
  /** States that this process has begun or ended. */
  readonly #own = new BoundedSet<string>(MOST_OWN)
  /** Of one content: for every order of a busy account. */
  readonly #kept = latestDerived((_: GuardsFile) => new Map<string, Guarding>())

  constructor(file: JsonFile<GuardsFile>, now: () => number, had: FilesHad | undefined) {
    this.#file = file
    this.#now = now
    this.#had = had
  }

  of(content: GuardsFile, account: string): Guarding {
    const found = this.#byAccount(content).get(account)
    const doubt = this.#doubtAbout(content, found)
    if (doubt !== undefined) return this.#judge(content, account, doubt)
    const kept = this.#kept(content)
    const known = kept.get(account) ?? this.#judge(content, account, undefined)
    kept.set(account, known)
    return known
  }

  async restrict(account: string | undefined, state: Exclude<GuardState, 'active'>, by: string): Promise<void> {
    const nextMode: GuardMode = { state, since: this.#now(), by }
    this.#own.add(nameOf(account, nextMode))
    const change = (content: GuardsFile) =>
      changed(this.#known(content), account, (mode) => (rank(mode) < rank(nextMode) ? { ...mode, ...nextMode } : mode))
    await this.#file.restrict(change, { key: account ?? ALL })
    await this.#had?.note(NAME)
  }

  isOwn(account: string | undefined, mode: GuardMode): boolean {
    return this.#own.has(nameOf(account, mode))
  }

  async update(change: (content: GuardsFile) => GuardsFile): Promise<void> {
    await this.#file.update((content) => change(this.#known(content)))
    // Afterwards: a file that is said to be there, and is not yet, would halt everything.
    await this.#had?.note(NAME)
  }

  async release(account: string | undefined): Promise<readonly EndedState[]> {
    const isGone = this.#doubt() === 'gone'
    // What holds here alone ends too.
    const [, ended] = released(this.#file.read(), account)
    for (const { account: whose, since } of ended) this.#own.add(nameOf(whose, defined({ last: since })))
    this.#file.release(account ?? undefined)
    try {
      await this.#file.update((content) => {
        const [next] = released(content, account)
        // A file that is there again is in no doubt.
        return isGone && next === content ? { ...next } : next
      })
    } catch (error) {
      for (const { account: whose, state, by = 'an unknown source' } of ended)
        if (state !== 'active') this.restrict(whose, state, by).catch(() => {})
      throw error
    }
    return ended
  }

  /** Every process sees that the file is gone, also one that never saw it. */
  #doubt(): Doubt | undefined {
    const doubt = this.#file.doubt()
    if (doubt !== undefined || this.#had === undefined) return doubt
    return this.#file.isAbsent() && this.#had.has(NAME) ? 'gone' : undefined
  }

  /** What is written while the file is gone must not let the other accounts go on. */
  #known(content: GuardsFile): GuardsFile {
    if (this.#doubt() !== 'gone') return content
    return { ...content, all: { ...content.all, state: 'halted', since: this.#now(), by: `${NAME}, which was gone` } }
  }

  #judge(content: GuardsFile, account: string, doubt: string | undefined): Guarding {
    const { limits = {}, ...mode } = this.#byAccount(content).get(account) ?? NO_ROW
    const { all = {} } = content
    const { state = 'active', since, by } = rank(all) > rank(mode) ? all : mode
    const simulated = mode.simulated === true || all.simulated === true
    if (doubt !== undefined) return { state: 'halted', simulated, limits, doubt }
    return { state, simulated, limits, ...defined({ since, by }), ...lastRestrictedIn([all, mode]) }
  }

  #doubtAbout(content: GuardsFile, found: GuardRow | undefined): string | undefined {
    const doubt = this.#doubt()
    if (doubt !== undefined) return DOUBT[doubt]
    if (this.#file.problem() !== undefined) return DOUBT.bad
    if (found !== undefined && this.#twins(content).has(found.account)) return 'guards.json has two rows of it'
    // Whose row it is that cannot be read is not known.
    if (found === undefined && this.#file.problems().length > 0) return 'a row of guards.json cannot be read'
    return undefined
  }
}

const MOST_OWN = 1_000

/** Of one state: its beginning, or its end by the beginning of what has ended. */
function nameOf(account: string | undefined, { state = 'active', since, last }: GuardMode): string {
  return `${account ?? ALL} ${state} ${state === 'active' ? last : since}`
}

/** The key of what is held for all accounts. */
const ALL = '*'

function rank(mode: GuardMode | undefined): number {
  return GUARD_STATES.indexOf(mode?.state ?? 'active')
}

function lastRestrictedIn(modes: readonly GuardMode[]): Pick<Guarding, 'lastRestricted'> {
  const nextMode = modes.flatMap(({ since = 0, last = 0 }) => [since, last])
  const lastRestricted = Math.max(...nextMode)
  return lastRestricted === 0 ? {} : { lastRestricted }
}

function changed(content: GuardsFile, account: string | undefined, change: (mode: GuardMode) => GuardMode): GuardsFile {
  if (account !== undefined) return changedRow(content, account, (old) => change(old) as GuardRow)
  const all = change(content.all ?? {})
  return all === content.all ? content : { ...content, all }
}

function changedRow(content: GuardsFile, account: string, change: (row: GuardRow) => GuardRow): GuardsFile {
  const old = content.guards.find((each) => each.account === account)
  const next = change(old ?? { account })
  if (next === old) return content
  const guards =
    old === undefined ? [...content.guards, next] : content.guards.map((each) => (each === old ? next : each))
  return { ...content, guards }
}

function released(content: GuardsFile, account: string | undefined): readonly [GuardsFile, readonly EndedState[]] {
  const ended: EndedState[] = []
  const end = (whose: string | undefined, mode: GuardMode): GuardMode => {
    const over = endedOf(whose, mode)
    if (over.length === 0) return mode
    ended.push(...over)
    const { state: _state, since, by: _by, ...rest } = mode
    return since === undefined ? rest : { ...rest, last: since }
  }
  const all = account === undefined && content.all !== undefined ? end(undefined, content.all) : content.all
  const guards = content.guards.map((each) =>
    account === undefined || each.account === account ? (end(each.account, each) as GuardRow) : each,
  )
  if (ended.length === 0) return [content, ended]
  return [{ ...content, ...defined({ all }), guards }, ended]
}

function endedOf(account: string | undefined, { state = 'active', since, by }: GuardMode): EndedState[] {
  if (state === 'active') return []
  return [{ account, state, ...defined({ since, by }) }]
}

function withoutUndefined(limits: Readonly<Record<string, unknown>>): StoredLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)) as StoredLimits
}

// Who did it, in words.

const FROM: ReadonlyMap<string, string> = new Map([
  ['the terminal', 'from a terminal'],
  ['the phone', 'from the phone'],
])

/** `from a terminal`, `by hook dip`. @param by as `operatorWord` of a run, or the name of a hook, a page, a limit */
export function fromWhom(by: string): string {
  return FROM.get(by) ?? `by ${by}`
}
