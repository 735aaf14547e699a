// `cross-trade.json` (behaviour 24): which account's positions are mirrored onto which others. Pages edit it too, so
// the last write wins. A tombstone is an inert row, disabled and without copiers: a reader that overlooks `deletedAt`
// trades nothing.
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import {
  type CopierStateRow,
  type CrossTradeRow,
  copierFields,
  copierStateRow,
  crossTradeRow,
  fewCopiers,
  NAME_LENGTH,
  pick,
  type RowOf,
  time,
} from '../protocol/rows.ts'
import { createJsonFile, type FileState, latestDerived, stateOf, updateReturning } from './json-file.ts'
import { isAlive, ownPlace, type ProcessIdentity } from './kernel-files.ts'
import { editedAt, isLive, isNewer, recordOf, requireRoom, requireShortRow, rowsUnder, withRow } from './rows.ts'

const shape = {
  ...crossTradeRow.shape,
  id: z.string().check(z.uuid('must be a UUID')),
  /** Empty on tombstones only. */
  masterAccount: z.string().check(z.maxLength(NAME_LENGTH, `is longer than ${NAME_LENGTH} characters`)),
  copiers: z.array(z.looseObject(copierFields)).check(fewCopiers),
  /** Set on tombstones, which go after 30 days. */
  deletedAt: z.exactOptional(time),
}

export type CrossTradeCopier = Readonly<RowOf<typeof copierFields>>

/** A row of `cross-trade.json`. Fields we do not know are kept, through a tombstone too. */
export type CrossTradeConfig = Readonly<Omit<RowOf<typeof shape>, 'copiers'>> & {
  readonly copiers: readonly CrossTradeCopier[]
}

/** A live row as it may leave the process. */
type ScrubbedCrossTradeConfig = CrossTradeRow

/** A live row as it comes in. Without `updatedAt` it is an edit made now, which wins. */
export type CrossTradeEdit = Omit<CrossTradeConfig, 'updatedAt' | 'deletedAt' | 'enabled'> & {
  readonly updatedAt?: number
  /** Absent: as it is stored; a new row is off. So an edit that says nothing of it never turns a row on that was turned off meanwhile. */
  readonly enabled?: boolean
}

interface MergeOptions {
  /** How many there may be, tombstones included, for an id that is new; default: any number. */
  readonly maxRows?: number
  /** A person at the terminal says yes to the whole row. Default: what it turns on or makes heavier waits for that. */
  readonly approved?: boolean
}

export interface CrossTradeStore extends FileState {
  /** Live rows, by id. The same reference as long as the file stays. */
  list(): readonly CrossTradeConfig[]
  /** Those as they may copy: the lower of what they say and what was approved. The same reference as long as the file stays. */
  approved(): readonly CrossTradeConfig[]
  /** What waits for a yes at the terminal, in words, by the id of the row. */
  waiting(): ReadonlyMap<string, readonly string[]>
  /** Tombstones too, as in the file. */
  all(): readonly CrossTradeConfig[]
  /**
   * Last write wins on strictly greater `updatedAt`, tombstones included. Known fields that the edit leaves out go.
   * @returns the row as it is now
   * @throws {StoreError} `invalid-value`, `too-many`
   */
  merge(
    edit: CrossTradeEdit,
    options?: MergeOptions,
  ): Promise<{ readonly applied: boolean; readonly row: CrossTradeConfig }>
  /**
   * As `merge`. The delete of an unknown id is kept too, against an older edit that comes later. Default `updatedAt`: now.
   * @throws {StoreError} `invalid-value`, `too-many`
   */
  remove(id: string, updatedAt?: number, maxRows?: number): Promise<{ readonly applied: boolean }>
}

const rowSchema = () =>
  z.looseObject(shape).check(z.refine(hasMasterWhileLive, { path: ['masterAccount'], error: 'must not be empty' }))

function hasMasterWhileLive(row: { readonly masterAccount: string; readonly deletedAt?: number }): boolean {
  return row.masterAccount !== '' || row.deletedAt !== undefined
}

interface CrossTradeFile {
  readonly configs: readonly CrossTradeConfig[]
  /** Of rows of which something waits; each other row is approved whole. */
  readonly approvals?: unknown
}

const INERT = { enabled: false, masterAccount: '', masterWeight: 0, copiers: [] } as const

export function openCrossTrade(directory: string, now: () => number = Date.now): CrossTradeStore {
  const file = createJsonFile<CrossTradeFile>({
    path: join(directory, 'cross-trade.json'),
    ...rowsUnder<'configs', CrossTradeConfig, CrossTradeFile>('configs', rowSchema),
    defaults: { configs: [] },
  })
  const live = latestDerived(({ configs }: CrossTradeFile) =>
    configs.filter(isLive).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  const judged = latestDerived((content: CrossTradeFile) => {
    const approvals = readApprovals(content.approvals)
    const rows = live(content)
    const waiting = rows.map((row) => [row.id, waitsFor(row, approvals.get(row.id))] as const)
    return {
      approved: rows.map((row) => lowerOf(row, approvals.get(row.id))),
      waiting: new Map(waiting.filter(([, what]) => what.length > 0)),
    }
  })

  interface Edit {
    readonly id: string
    readonly updatedAt: number | undefined
    readonly maxRows: number | undefined
    readonly approved?: boolean
    readonly fields: Omit<CrossTradeConfig, 'id' | 'updatedAt' | 'enabled'> & { readonly enabled?: boolean }
  }

  function apply({ id, updatedAt, maxRows = Number.POSITIVE_INFINITY, approved = false, fields }: Edit) {
    requireShortRow(fields)
    return updateReturning(file, (content) => {
      const stored = content.configs.find((row) => row.id === id)
      const row = {
        ...unknownFields(stored),
        ...fields,
        id,
        enabled: fields.enabled ?? stored?.enabled ?? false,
        updatedAt: updatedAt ?? editedAt(now(), stored),
      }
      if (stored !== undefined && !isNewer(row, stored)) return [content, { applied: false, row: stored }]
      if (stored === undefined)
        requireRoom(content.configs.length, maxRows, 'cross-trade rows, with those deleted lately,')
      const configs = withRow(content.configs, { row, replaces: (other) => other.id === id, now: now() })
      const next = { ...content, configs }
      return [
        approved ? withApproval(next, row) : withApproval(next, row, standing(content, stored)),
        { applied: true, row },
      ]
    })
  }

  return {
    list: () => live(file.read()),
    all: () => file.read().configs,
    approved: () => judged(file.read()).approved,
    waiting: () => judged(file.read()).waiting,
    merge: async ({ id, updatedAt, ...fields }, { maxRows, approved = false } = {}) =>
      apply({ id, updatedAt, maxRows, approved, fields }),
    async remove(id, updatedAt, maxRows) {
      const { applied } = await apply({ id, updatedAt, maxRows, fields: { ...INERT, deletedAt: now() } })
      return { applied }
    },
    ...stateOf(file),
  }
}

/** What was approved of a row before an edit of it. */
function standing({ approvals }: CrossTradeFile, stored: CrossTradeConfig | undefined): Approval {
  const whole = approvalOf(stored)
  return stored === undefined ? whole : (readApprovals(approvals).get(stored.id) ?? whole)
}

/** An edit that is not the terminal's never widens what was approved, and what it narrows stays narrow. */
function withApproval(content: CrossTradeFile, row: CrossTradeConfig, before?: Approval): CrossTradeFile {
  const { approvals, ...rest } = content
  const others = [...readApprovals(approvals).values()].filter(({ id }) => id !== row.id)
  const waits = before !== undefined && isLive(row) && waitsFor(row, before).length > 0
  const kept = waits ? [...others, { ...approvalOf(lowerOf(row, before)), id: row.id }] : others
  return kept.length === 0 ? rest : { ...rest, approvals: kept }
}

export function scrubCrossTradeConfig(row: CrossTradeConfig): ScrubbedCrossTradeConfig {
  return pick(crossTradeRow, row)
}

/** What the row replaced keeps: an edit without `masterSymbol` means all symbols, not the old one. */
function unknownFields(stored: CrossTradeConfig | undefined): object {
  if (stored === undefined) return {}
  const { id, enabled, masterAccount, masterSymbol, masterWeight, copiers, updatedAt, deletedAt, ...unknown } = stored
  return unknown
}

// What of a cross-trade row a person at the terminal has said yes to (behaviour 24). A page's newer row wins the merge as it comes; it copies
// by the lower of both until someone at the terminal enables it.

/** In percent of the last price, where a copier with `LimitSlippage` names none. */
export const DEFAULT_SLIPPAGE = '0.5'

const approvalShape = {
  id: z.string(),
  enabled: z.boolean(),
  masterAccount: z.string().check(z.maxLength(NAME_LENGTH)),
  masterSymbol: z.exactOptional(z.string()),
  masterWeight: z.number(),
  copiers: z.array(z.looseObject(copierFields)),
}

const approvalSchema = z.looseObject(approvalShape)

type Copier = Readonly<RowOf<typeof copierFields>>

/** The most that a row may copy. */
type Approval = Readonly<Omit<RowOf<typeof approvalShape>, 'copiers'>> & { readonly copiers: readonly Copier[] }

type Row = Approval & { readonly deletedAt?: number }

/** `approvals` of `cross-trade.json`, by the row's id. What cannot be read approves nothing. */
function readApprovals(value: unknown): ReadonlyMap<string, Approval> {
  const approvals = new Map<string, Approval>()
  for (const each of Array.isArray(value) ? value : []) {
    const { success, data } = z.safeParse(approvalSchema, each)
    if (success) approvals.set(data.id, data)
    else if (typeof each?.id === 'string') approvals.set(each.id, nothingOf(each.id))
  }
  return approvals
}

function nothingOf(id: string): Approval {
  return { id, enabled: false, masterAccount: '', masterWeight: 0, copiers: [] }
}

function approvalOf(row: Row | undefined): Approval {
  if (row === undefined || row.deletedAt !== undefined) return nothingOf(row?.id ?? '')
  const { id, enabled, masterAccount, masterSymbol, masterWeight, copiers } = row
  const terms = { id, enabled, masterAccount, masterWeight, copiers }
  return masterSymbol === undefined ? terms : { ...terms, masterSymbol }
}

/** The row as it may copy: the lower of what it says and what was approved. The very row where nothing waits. */
function lowerOf<Stored extends Row>(row: Stored, approval: Approval | undefined): Stored {
  if (approval === undefined || waitsFor(row, approval).length === 0) return row
  if (isOffUnder(row, approval)) return { ...row, enabled: false }
  const copiers = row.copiers.flatMap((copier) => lowerCopier(copier, row, approval) ?? [])
  const masterSymbol = approval.masterSymbol ?? row.masterSymbol
  const lower = { ...row, copiers, enabled: copiers.length > 0 }
  return masterSymbol === undefined ? lower : { ...lower, masterSymbol }
}

/** What of the row waits for a yes at the terminal, in words; of a row that is off, nothing does. */
function waitsFor(row: Row, approval: Approval | undefined): readonly string[] {
  if (approval === undefined || !row.enabled) return []
  if (isOffUnder(row, approval)) return ['the whole row']
  const isWiderSymbol = approval.masterSymbol !== undefined && row.masterSymbol === undefined
  const copiers = row.copiers.filter((copier) => lowerCopier(copier, row, approval) !== copier)
  return [...(isWiderSymbol ? ['all symbols'] : []), ...copiers.map((copier) => describe(copier, row))]
}

function describe({ account, symbol, weight, mode, slippage }: Copier, { masterWeight }: Row) {
  const of = masterWeight === 1 ? '' : ` of ${masterWeight}`
  return [account, ...(symbol ? [symbol] : []), `× ${weight}${of}`, mode, ...(slippage ? [`${slippage} %`] : [])].join(
    ' ',
  )
}

function isOffUnder(row: Row, approval: Approval): boolean {
  const isOtherSymbol =
    approval.masterSymbol !== undefined && ![undefined, approval.masterSymbol].includes(row.masterSymbol)
  return !approval.enabled || approval.masterAccount !== row.masterAccount || isOtherSymbol
}

type Terms = Pick<Row, 'masterSymbol' | 'masterWeight' | 'copiers'>

/** @returns the very copier where it stays within what was approved; undefined: none of that account and symbol was */
function lowerCopier(copier: Copier, row: Terms, approval: Terms): Copier | undefined {
  const symbol = ownSymbol(copier, row)
  const approved = approval.copiers.find(
    (each) => each.account === copier.account && ownSymbol(each, approval) === symbol,
  )
  if (approved === undefined) return undefined
  const weight = lowerWeight(copier.weight, row.masterWeight, approved.weight, approval.masterWeight)
  if (weight === undefined) return undefined
  const way = lowerWay(copier, approved)
  if (weight === copier.weight && way === copier) return copier
  const { mode, slippage } = way
  const { slippage: _, ...rest } = copier
  return slippage === undefined ? { ...rest, weight, mode } : { ...rest, weight, mode, slippage }
}

/** One that names the master's symbol follows it as one that names none does. */
function ownSymbol({ symbol }: Copier, { masterSymbol }: Terms): string | undefined {
  return symbol === masterSymbol ? undefined : symbol
}

/** By the share of the master that a copier takes; undefined: it would go the other way. A weight that is none is refused elsewhere. */
function lowerWeight(
  weight: number,
  masterWeight: number,
  approved: number,
  approvedMaster: number,
): number | undefined {
  const [share, most] = [weight / masterWeight, approved / approvedMaster]
  if (!Number.isFinite(share)) return weight
  if (!Number.isFinite(most) || Math.sign(share) !== Math.sign(most)) return undefined
  if (Math.abs(share) <= Math.abs(most)) return weight
  return masterWeight === approvedMaster ? approved : most * masterWeight
}

/** A market order may cost any price: limits are narrower than it, and narrower the less they slip. A chase compares with neither. */
function lowerWay(copier: Copier, approved: Copier): Copier {
  if (copier.mode !== 'LimitSlippage') return copier.mode === approved.mode ? copier : approved
  if (approved.mode === 'Market') return copier
  if (approved.mode !== 'LimitSlippage') return approved
  return percentOf(copier) <= percentOf(approved) ? copier : approved
}

function percentOf({ slippage = DEFAULT_SLIPPAGE }: Copier): number {
  return Number(slippage.replace('%', ''))
}

// `cross-trade-running.json` (behaviour 24): the heartbeat of whatever process runs the cross-trade engine. An engine
// that dies leaves the file as it is: on this machine its death is seen, of any other the clock alone tells (behaviour 109).

interface EngineState {
  readonly running: boolean
  /** Of the last heartbeat that could be read, running or not. */
  readonly pid?: number
  /** ms since the epoch. */
  readonly startedAt?: number
  /** The state of its copiers, while it runs and tells it. */
  readonly copiers?: CopierStateRow[]
}

/** Who holds the engine: a process, and one start of the engine in it. */
interface EngineHolder extends ProcessIdentity {
  /** Of this start alone. */
  readonly lease: string
  /** Where `pid` means something: one boot of one machine, one space of pids. Empty: not known. */
  readonly place: string
}

/** What the file has; each field may be missing, and what other programs wrote beside them is kept. */
export interface HeartbeatFile extends Partial<EngineHolder> {
  readonly startedAt?: number
  readonly heartbeatAt?: number
  readonly configIds?: readonly string[]
  readonly copiers?: readonly unknown[]
  /** Someone asks the holder to stop: who, for people. */
  readonly stopAskedBy?: string
  /** What else someone asks the holder, and what it answered last (`cross-trade/engine-lease.ts`). */
  readonly request?: unknown
  readonly answer?: unknown
}

export interface CrossTradeEngine extends FileState {
  /** Not running: no file, a bad one, or a heartbeat more than 15 s from now on either side. */
  read(): EngineState
  /**
   * Calls `handler` after any change of what `read()` tells, by the file or by the clock alone, and of the problems.
   * @returns stops the calls
   */
  watch(handler: () => void): () => void
  /** The file as it is, for who holds the engine or wants to. */
  readFile(): HeartbeatFile
  /** As `watch`, after any change of the file. */
  watchFile(handler: () => void): () => void
  /** Under the lock of the file. @throws {StoreError} */
  update(change: (content: HeartbeatFile) => HeartbeatFile): Promise<HeartbeatFile>
}

/** Behaviour 140. */
export const STALE_MS = 15_000
/** Timers stand still while the machine sleeps, and clocks get set: no wait for the clock is longer, in ms. */
const MAX_WAIT_MS = 1_000

/** Each field may be missing: what is there of a bad heartbeat is still reported. */
const fileSchema = z.looseObject({
  pid: z.exactOptional(z.int().check(z.nonnegative('must not be negative'))),
  startedAt: z.exactOptional(time),
  heartbeatAt: z.exactOptional(time),
  born: z.exactOptional(z.string()),
  lease: z.exactOptional(z.string()),
  place: z.exactOptional(z.string()),
  configIds: z.exactOptional(z.array(z.string())),
  // Looked at one by one: a heartbeat with a copier that cannot be read is a heartbeat.
  copiers: z.exactOptional(z.array(z.unknown())),
  stopAskedBy: z.exactOptional(z.string()),
  request: z.exactOptional(z.unknown()),
  answer: z.exactOptional(z.unknown()),
})

export function openCrossTradeEngine(directory: string, now: () => number = Date.now): CrossTradeEngine {
  const copiersOf = latestDerived(readCopiers)
  const file = createJsonFile<HeartbeatFile>({
    path: join(directory, 'cross-trade-running.json'),
    parse: recordOf<HeartbeatFile>(fileSchema),
    defaults: {},
    // Who writes it renames it into place: without the file nothing runs.
    graceMs: 0,
  })

  function read(): EngineState {
    const content = file.read()
    const { pid, startedAt, heartbeatAt } = content
    const isFresh = heartbeatAt !== undefined && Math.abs(now() - heartbeatAt) <= STALE_MS
    const running = file.problem() === undefined && isFresh && !isKnownDead(content)
    const copiers = running ? copiersOf(content) : undefined
    return { running, ...defined({ pid, startedAt }), ...(copiers && { copiers }) }
  }

  /** When the clock alone will change what `read()` tells; undefined: never. */
  function nextTurn(): number | undefined {
    const { heartbeatAt } = file.read()
    if (file.problem() !== undefined || heartbeatAt === undefined) return undefined
    return [heartbeatAt - STALE_MS, heartbeatAt + STALE_MS + 1].find((turn) => turn > now())
  }

  return {
    ...stateOf(file),
    read,
    readFile: file.read,
    watchFile: file.watch,
    update: file.update,
    watch(handler) {
      let seen = read()
      let problems = file.problems()
      let timer: NodeJS.Timeout | undefined
      const look = (): void => {
        clearTimeout(timer)
        const turn = nextTurn()
        if (turn !== undefined) timer = setTimeout(look, Math.min(turn - now(), MAX_WAIT_MS)).unref()
        const state = read()
        if (isSame(state, seen) && file.problems() === problems) return
        seen = state
        problems = file.problems()
        handler()
      }
      const stop = file.watch(look)
      look()
      return () => {
        clearTimeout(timer)
        stop()
      }
    },
  }
}

function isSame(a: EngineState, b: EngineState): boolean {
  return (
    a.running === b.running && a.pid === b.pid && a.startedAt === b.startedAt && isDeepStrictEqual(a.copiers, b.copiers)
  )
}

/** One that died on this machine is gone at once; of any other its heartbeat alone tells. */
function isKnownDead({ lease, pid, born, place }: HeartbeatFile): boolean {
  if (lease === undefined || pid === undefined || place !== ownPlace()) return false
  return !isAlive({ pid, ...defined({ born }) })
}

function readCopiers({ copiers }: HeartbeatFile): CopierStateRow[] | undefined {
  return copiers?.flatMap((row) => {
    const { success, data } = z.safeParse(copierStateRow, row)
    return success ? [pick(copierStateRow, data)] : []
  })
}

// `cross-trade-pages.json`: which pages say that they lead cross-trading (behaviour 143), as the hookline they are connected to knows it. A process
// that does not listen learns it here. As with the engine's own heartbeat, the clock alone ends what a hookline that died has left.

export interface LeadingPages extends FileState {
  /** Labels of the pages that lead, as they gave them; empty where none does, or no one has said so for 15 s. */
  read(): readonly string[]
  /** @throws {StoreError} */
  write(labels: readonly string[]): Promise<void>
}

/** One page at a time leads, by its own rules; no one needs to see more of those that do not keep them. */
const MAX_LABELS = 10

const pagesSchema = z.looseObject({
  pid: z.exactOptional(z.int()),
  seenAt: z.exactOptional(time),
  labels: z.exactOptional(z.array(z.string())),
})
type PagesFile = z.infer<typeof pagesSchema>

export function openLeadingPages(directory: string, now: () => number = Date.now): LeadingPages {
  const file = createJsonFile<PagesFile>({
    path: join(directory, 'cross-trade-pages.json'),
    parse: recordOf<PagesFile>(pagesSchema),
    defaults: {},
    graceMs: 0,
  })
  return {
    ...stateOf(file),
    read() {
      const { seenAt, labels = [] } = file.read()
      const isFresh = file.problem() === undefined && seenAt !== undefined && Math.abs(now() - seenAt) <= STALE_MS
      return isFresh ? labels : []
    },
    async write(labels) {
      await file.update((content) => {
        // Only the hookline that has the port has pages, so nothing of another one is lost.
        if (labels.length === 0 && (content.labels ?? []).length === 0) return content
        return { pid: process.pid, seenAt: now(), labels: labels.slice(0, MAX_LABELS) }
      })
    },
  }
}
