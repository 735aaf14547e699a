// Which rows may copy, and which may not as they are (behaviour 42): a circle would trade for ever, and a copier with two masters would obey
// neither. A row that may not does nothing; the others go on.
import type { CrossTradeConfig, CrossTradeCopier } from '../stores/cross-trade.ts'
import { slippageOf } from './row-extras.ts'

export interface JudgedCopier {
  readonly copier: CrossTradeCopier
  /** Why it does nothing; absent: it copies. */
  readonly why?: string
}

export interface JudgedRow {
  readonly row: CrossTradeConfig
  /** Why none of its copiers does anything; absent: they copy, but for those that say otherwise. */
  readonly why?: string
  readonly copiers: readonly JudgedCopier[]
}

/** Disabled rows are judged as if they were the only ones: they disturb nobody. */
export function judgeRows(rows: readonly CrossTradeConfig[]): readonly JudgedRow[] {
  const enabled = rows.filter((row) => row.enabled && faultOf(row) === undefined)
  const known = copiersOf(enabled)
  return rows.map((row) => {
    const why = faultOf(row) ?? (row.enabled ? circleOf(row, known) : undefined) ?? claimedTwice(row, enabled)
    const copiers = row.copiers.map((copier) => {
      const fault = faultOfCopier(copier)
      return fault === undefined ? { copier } : { copier, why: fault }
    })
    return why === undefined ? { row, copiers } : { row, why, copiers }
  })
}

function faultOf({ masterAccount, masterWeight, copiers }: CrossTradeConfig): string | undefined {
  if (!Number.isFinite(masterWeight) || masterWeight === 0) return 'the weight of the master is zero or not a number'
  if (copiers.some(({ account }) => account === masterAccount)) return `${masterAccount} would copy itself`
  return undefined
}

function faultOfCopier(copier: CrossTradeCopier): string | undefined {
  if (!Number.isFinite(copier.weight) || copier.weight === 0) return 'its weight is zero or not a number'
  if (copier.mode === 'LimitSlippage' && slippageOf(copier) === undefined)
    return 'its slippage is not a percentage between 0 and 50'
  return undefined
}

/** Who copies whom. */
type Copiers = ReadonlyMap<string, ReadonlySet<string>>

function copiersOf(rows: readonly CrossTradeConfig[]): Copiers {
  const found = new Map<string, Set<string>>()
  for (const { masterAccount, copiers } of rows) {
    const known = found.get(masterAccount) ?? new Set()
    for (const { account } of copiers) known.add(account)
    found.set(masterAccount, known)
  }
  return found
}

/** One of its copiers is, by any number of rows, the master of its master. */
function circleOf({ masterAccount, copiers }: CrossTradeConfig, known: Copiers): string | undefined {
  for (const { account } of copiers) {
    const way = wayBetween(account, masterAccount, known)
    if (way !== undefined) return `it is part of a circle: ${[masterAccount, ...way].join(' → ')}`
  }
  return undefined
}

/** The shortest one, both ends included. */
function wayBetween(start: string, end: string, known: Copiers): readonly string[] | undefined {
  const seen = new Set([start])
  const ways: (readonly string[])[] = [[start]]
  for (const way of ways) {
    const last = way.at(-1) ?? start
    if (last === end) return way
    for (const account of known.get(last) ?? []) {
      if (seen.has(account)) continue
      seen.add(account)
      ways.push([...way, account])
    }
  }
  return undefined
}

/** Two rows, or one row twice, that trade one symbol on one account. */
function claimedTwice(row: CrossTradeConfig, enabled: readonly CrossTradeConfig[]): string | undefined {
  const others = row.enabled ? enabled.filter(({ id }) => id !== row.id) : []
  for (const [index, copier] of row.copiers.entries()) {
    const within = row.copiers.some((other, at) => at !== index && overlaps(claimOf(row, copier), claimOf(row, other)))
    if (within) return `${said(claimOf(row, copier))} is copied to twice`
    const other = others.find((each) => each.copiers.some((its) => overlaps(claimOf(row, copier), claimOf(each, its))))
    if (other !== undefined) return `${said(claimOf(row, copier))} is copied to by row ${other.id.slice(0, 8)} too`
  }
  return undefined
}

/** `symbol` absent: all. */
interface Claim {
  readonly account: string
  readonly symbol: string | undefined
}

function claimOf(row: CrossTradeConfig, copier: CrossTradeCopier): Claim {
  return { account: copier.account, symbol: copier.symbol ?? row.masterSymbol }
}

function overlaps(a: Claim, b: Claim): boolean {
  return a.account === b.account && (a.symbol === undefined || b.symbol === undefined || a.symbol === b.symbol)
}

function said({ account, symbol }: Claim): string {
  return symbol === undefined ? account : `${symbol} on ${account}`
}
