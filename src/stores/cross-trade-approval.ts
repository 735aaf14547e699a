// What of a cross-trade row a person at the terminal has said yes to (behaviour 24). A page's newer row wins the merge as it comes; it copies
// by the lower of both until somebody at the terminal enables it.
import * as z from 'zod/mini'
import { copierFields, NAME_LENGTH, type RowOf } from '../protocol/rows.ts'

/** In percent of the last price, where a copier with `LimitSlippage` names none. */
export const DEFAULT_SLIPPAGE = '0.5'

const shape = {
  id: z.string(),
  enabled: z.boolean(),
  masterAccount: z.string().check(z.maxLength(NAME_LENGTH)),
  masterSymbol: z.exactOptional(z.string()),
  masterWeight: z.number(),
  copiers: z.array(z.looseObject(copierFields)),
}

const approvalSchema = z.looseObject(shape)

type Copier = Readonly<RowOf<typeof copierFields>>

/** The most that a row may copy. */
export type Approval = Readonly<Omit<RowOf<typeof shape>, 'copiers'>> & { readonly copiers: readonly Copier[] }

type Row = Approval & { readonly deletedAt?: number }

/** `approvals` of `cross-trade.json`, by the row's id. What cannot be read approves nothing. */
export function readApprovals(value: unknown): ReadonlyMap<string, Approval> {
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

export function approvalOf(row: Row | undefined): Approval {
  if (row === undefined || row.deletedAt !== undefined) return nothingOf(row?.id ?? '')
  const { id, enabled, masterAccount, masterSymbol, masterWeight, copiers } = row
  const terms = { id, enabled, masterAccount, masterWeight, copiers }
  return masterSymbol === undefined ? terms : { ...terms, masterSymbol }
}

/** The row as it may copy: the lower of what it says and what was approved. The very row where nothing waits. */
export function lowerOf<Stored extends Row>(row: Stored, approval: Approval | undefined): Stored {
  if (approval === undefined || waitsFor(row, approval).length === 0) return row
  if (isOffUnder(row, approval)) return { ...row, enabled: false }
  const copiers = row.copiers.flatMap((copier) => lowerCopier(copier, row, approval) ?? [])
  const masterSymbol = approval.masterSymbol ?? row.masterSymbol
  const lower = { ...row, copiers, enabled: copiers.length > 0 }
  return masterSymbol === undefined ? lower : { ...lower, masterSymbol }
}

/** What of the row waits for a yes at the terminal, in words; of a row that is off, nothing does. */
export function waitsFor(row: Row, approval: Approval | undefined): readonly string[] {
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
