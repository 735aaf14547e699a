// `guards.json` (behaviour 40): the state and the limits of each account. Every hookline on the config directory reads it before each order,
// and a restart ends nothing of it. What cannot be read counts as halted.
import { join } from 'node:path'
import {
  GUARD_STATES,
  type GuardMode,
  type GuardRow,
  type GuardState,
  type GuardsFile,
  guardRows,
  type StoredLimits,
} from './guard-rows.ts'
import { createJsonFile, type FileState, type JsonFile, stateOf, updateReturning } from './json-file.ts'
import { latestDerived } from './latest-derived.ts'

export type { GuardMode, GuardRow, GuardState, GuardsFile, LimitName, StoredLimits } from './guard-rows.ts'
export { GUARD_STATES, LIMITS } from './guard-rows.ts'

/** What holds for one account now, the stricter of its own state and that of all. */
export interface Guarding {
  readonly state: GuardState
  readonly since?: number
  readonly by?: string
  readonly simulated: boolean
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
  /**
   * A stricter state, of one account or (undefined) of all. In this process it holds at once, in all others when the promise resolves.
   * @throws {StoreError} it holds in this process only, until it ends
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

export function openGuardStore(directory: string, now: () => number = Date.now): GuardStore {
  const file = createJsonFile<GuardsFile>({
    path: join(directory, 'guards.json'),
    ...guardRows(),
    defaults: { guards: [] },
  })
  const modes = new GuardModes(file, now)
  return {
    read: (account) => modes.of(file.read(), account),
    readOncePerTurn: (account) => modes.of(file.readOncePerTurn(), account),
    readAll: () => modes.ofAll(file.read()),
    list: () => file.read().guards,
    restrict: (account, state, by) => modes.restrict(account, state, by),
    release: (account) => modes.release(account),
    async simulate(account, isOn) {
      await file.update((content) =>
        changed(content, account, ({ simulated: _, ...mode }) => (isOn ? { ...mode, simulated: true } : mode)),
      )
    },
    async setLimits(account, limits) {
      await file.update((content) =>
        changedRow(content, account, (old) => ({ ...old, limits: withoutUndefined({ ...old.limits, ...limits }) })),
      )
    },
    ...stateOf(file),
  }
}

/** The file, and what was said here and is not in it yet. */
class GuardModes {
  readonly #file: JsonFile<GuardsFile>
  readonly #now: () => number
  readonly #byAccount = latestDerived(({ guards }: GuardsFile) => new Map(guards.map((each) => [each.account, each])))
  readonly #twins = latestDerived(({ guards }: GuardsFile) => {
    const names = guards.map(({ account }) => account)
    return new Set(names.filter((name, index) => names.indexOf(name) !== index))
  })
  /** Of one content, as long as nothing else has a say: for every order of a busy account. */
  readonly #kept = latestDerived((_: GuardsFile) => new Map<string, Guarding>())
  /** By account, undefined for all. */
  readonly #own = new Map<string | undefined, GuardMode>()

  constructor(file: JsonFile<GuardsFile>, now: () => number) {
    this.#file = file
    this.#now = now
  }

  of(content: GuardsFile, account: string): Guarding {
    const found = this.#byAccount(content).get(account)
    const doubt = this.#doubtAbout(content, found)
    if (this.#own.size > 0 || doubt !== undefined) return this.#judge(content, account, doubt)
    const kept = this.#kept(content)
    const known = kept.get(account) ?? this.#judge(content, account, undefined)
    kept.set(account, known)
    return known
  }

  ofAll({ all = {} }: GuardsFile): GuardMode {
    const here = this.#own.get(undefined)
    return rank(here) > rank(all) ? { ...all, ...here } : all
  }

  async restrict(account: string | undefined, state: Exclude<GuardState, 'active'>, by: string): Promise<void> {
    const said: GuardMode = { state, since: this.#now(), by }
    if (rank(said) > rank(this.#own.get(account))) this.#own.set(account, said)
    await this.#file.update((content) =>
      changed(content, account, (mode) => (rank(mode) < rank(said) ? { ...mode, ...said } : mode)),
    )
    if (this.#own.get(account) === said) this.#own.delete(account)
  }

  async release(account: string | undefined): Promise<readonly EndedState[]> {
    const isMeant = (whose: string | undefined) => account === undefined || whose === account
    const here = [...this.#own].filter(([whose]) => isMeant(whose))
    const isGone = this.#file.doubt() === 'gone'
    const ended = await updateReturning(this.#file, (content) => {
      const [next, over] = released(content, account)
      // A file that is there again is in no doubt.
      return [isGone ? { ...next } : next, over] as const
    })
    for (const [whose] of here) this.#own.delete(whose)
    const unsaved = here.flatMap(([whose, mode]) => endedOf(whose, mode))
    return [...ended, ...unsaved.filter((each) => !ended.some(({ account: whose }) => whose === each.account))]
  }

  #judge(content: GuardsFile, account: string, doubt: string | undefined): Guarding {
    const { limits = {}, ...mode } = this.#byAccount(content).get(account) ?? NO_ROW
    const modes = [mode, content.all, this.#own.get(account), this.#own.get(undefined)]
    const strictest = modes.reduce<GuardMode>((kept, next) => (rank(next) > rank(kept) ? (next ?? kept) : kept), {})
    const { state = 'active', since, by } = strictest
    const simulated = modes.some((each) => each?.simulated === true)
    if (doubt !== undefined) return { state: 'halted', simulated, limits, doubt }
    return {
      ...{ state, simulated, limits },
      ...(since === undefined ? {} : { since }),
      ...(by === undefined ? {} : { by }),
    }
  }

  #doubtAbout(content: GuardsFile, found: GuardRow | undefined): string | undefined {
    const doubt = this.#file.doubt()
    if (doubt !== undefined) return DOUBT[doubt]
    if (this.#file.problem() !== undefined) return DOUBT.bad
    if (found !== undefined && this.#twins(content).has(found.account)) return 'guards.json has two rows of it'
    // Whose row it is that cannot be read is not known.
    if (found === undefined && this.#file.problems().length > 0) return 'a row of guards.json cannot be read'
    return undefined
  }
}

function rank(mode: GuardMode | undefined): number {
  return GUARD_STATES.indexOf(mode?.state ?? 'active')
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
    const { state: _state, since: _since, by: _by, ...rest } = mode
    return rest
  }
  const all = account === undefined && content.all !== undefined ? end(undefined, content.all) : content.all
  const guards = content.guards.map((each) =>
    account === undefined || each.account === account ? (end(each.account, each) as GuardRow) : each,
  )
  if (ended.length === 0) return [content, ended]
  return [{ ...content, ...(all === undefined ? {} : { all }), guards }, ended]
}

function endedOf(account: string | undefined, { state = 'active', since, by }: GuardMode): EndedState[] {
  if (state === 'active') return []
  return [{ account, state, ...(since === undefined ? {} : { since }), ...(by === undefined ? {} : { by }) }]
}

function withoutUndefined(limits: Readonly<Record<string, unknown>>): StoredLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)) as StoredLimits
}
