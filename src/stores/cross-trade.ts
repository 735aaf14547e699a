// `cross-trade.json` (behaviour 24): which account's positions are mirrored onto which others. Pages edit it too, so
// the last write wins. A tombstone is an inert row, disabled and without copiers: a reader that overlooks `deletedAt`
// trades nothing.
import { join } from 'node:path'
import * as z from 'zod/mini'
import {
  type CrossTradeRow,
  copierFields,
  crossTradeRow,
  fewCopiers,
  NAME_LENGTH,
  pick,
  type RowOf,
  time,
} from '../protocol/rows.ts'
import { createJsonFile, type FileState, latestDerived, stateOf, updateReturning } from './json-file.ts'
import { editedAt, isLive, isNewer, requireRoom, requireShortRow, rowsUnder, withRow } from './rows.ts'

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
// by the lower of both until somebody at the terminal enables it.

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
