// The rows of cross-trade: the fields that only commands write, why a row cannot be traded, and which rows and copiers may copy (behaviour 42).
import { type CrossTradeConfig, type CrossTradeCopier, DEFAULT_SLIPPAGE } from '../stores/cross-trade.ts'

/** Only hookline's own commands write them. Pages and older hooklines keep them as they are; an invalid value counts as absent. */
interface RowExtras {
  /** The first baseline is zero: what the master holds already is copied too. Said again only with another `enabledAt`, so never by a page. */
  readonly sync: boolean
  /** When a command enabled it, ms since the epoch. Another one than before: the row begins anew, with a new baseline. */
  readonly enabledAt?: number
  /** When a command enabled it though it was. Another one than before: its paused copiers go on; baseline and all else stay. */
  readonly wokenAt?: number
}

/** A row as a page sends it: what only commands say is not taken from it, and stays as it is stored. */
export function withoutExtras<Row extends object>(row: Row): Row {
  const { sync, enabledAt, wokenAt, ...plain } = row as Row & Readonly<Record<string, unknown>>
  return plain as unknown as Row
}

const MAX_SLIPPAGE = 50

export function extrasOf(row: CrossTradeConfig): RowExtras {
  const { sync, enabledAt, wokenAt } = row as Readonly<Record<string, unknown>>
  return {
    sync: sync === true,
    ...(typeof enabledAt === 'number' ? { enabledAt } : {}),
    ...(typeof wokenAt === 'number' ? { wokenAt } : {}),
  }
}

/** `slippage` of a copier: a number, or text such as `0.5` and `0.5%`. In percent; undefined: a value that is none, and the copier may not trade. */
export function slippageOf(copier: CrossTradeCopier): string | undefined {
  const { slippage } = copier as Readonly<Record<string, unknown>>
  if (slippage === undefined) return DEFAULT_SLIPPAGE
  const text = typeof slippage === 'number' ? String(slippage) : typeof slippage === 'string' ? slippage : ''
  const [, figure] = /^(\d{1,2}(?:\.\d{1,6})?)%?$/.exec(text) ?? []
  return figure !== undefined && Number(figure) > 0 && Number(figure) <= MAX_SLIPPAGE ? figure : undefined
}

// Which cross-trade rows cannot be traded, and why. Commands refuse such rows; files and pages may hold them all the same, so the engine asks
// too and leaves those alone. Accounts are compared whole, whatever their symbols: of two accounts that copy each other on different markets
// no one can say any more which one leads.

interface RowProblem {
  readonly configId: string
  /** One line, a fact: `account swing copies main, and main copies it`. */
  readonly why: string
}

/** What is wrong with a pair, and where. */
interface FieldProblem {
  readonly field: 'masterAccount' | 'masterWeight' | 'account' | 'symbol' | 'weight'
  readonly why: string
}

/** Stands for every symbol of an account. */
const ALL = '*'

/**
 * Rows that are off or deleted trade nothing and are not looked at.
 * @param isAccount whether there is such an account; default: every name is one
 * @returns at most one problem per row, in the order of the rows
 */
export function checkRows(
  configs: readonly CrossTradeConfig[],
  isAccount: (name: string) => boolean = () => true,
): readonly RowProblem[] {
  const rows = configs.filter((row) => row.enabled && row.deletedAt === undefined)
  const followers = followersOf(rows)
  const twice = claimedTwice(rows)
  return rows.flatMap((row) => {
    const why = problemOf(row, isAccount)?.why ?? circleOf(row, followers) ?? twice.get(row.id)
    return why === undefined ? [] : [{ configId: row.id, why }]
  })
}

/** What is wrong with the row by itself. */
export function problemOf(row: CrossTradeConfig, isAccount: (name: string) => boolean): FieldProblem | undefined {
  if (!isWeight(row.masterWeight)) return at('masterWeight', 'its masterWeight is not a number other than 0')
  if (!isAccount(row.masterAccount)) return at('masterAccount', `no account ${row.masterAccount} found`)
  if (row.copiers.length === 0) return at('account', 'it has no copier')
  for (const copier of row.copiers) {
    const problem = problemOfCopier(row, copier, isAccount)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOfCopier(
  row: CrossTradeConfig,
  { account, symbol, weight }: CrossTradeCopier,
  isAccount: (name: string) => boolean,
): FieldProblem | undefined {
  if (account === row.masterAccount) return at('account', `account ${account} would copy itself`)
  if (!isAccount(account)) return at('account', `no account ${account} found`)
  if (!isWeight(weight)) return at('weight', `the weight of ${account} is not a number other than 0`)
  if (symbol !== undefined && row.masterSymbol === undefined) {
    return at('symbol', `${account} copies onto ${symbol}, but the row names no symbol of ${row.masterAccount}`)
  }
  return undefined
}

function at(field: FieldProblem['field'], why: string): FieldProblem {
  return { field, why }
}

function isWeight(weight: number): boolean {
  return Number.isFinite(weight) && weight !== 0
}

/** Accounts, and those that copy them. */
type Followers = ReadonlyMap<string, ReadonlySet<string>>

function followersOf(rows: readonly CrossTradeConfig[]): Followers {
  const followers = new Map<string, Set<string>>()
  for (const { masterAccount, copiers } of rows) {
    const accounts = followers.get(masterAccount) ?? new Set<string>()
    followers.set(masterAccount, accounts)
    for (const { account } of copiers) accounts.add(account)
  }
  return followers
}

function circleOf({ masterAccount, copiers }: CrossTradeConfig, followers: Followers): string | undefined {
  const accounts = copiers.map(({ account }) => account)
  if (!isReached(masterAccount, accounts, followers)) return undefined
  const back = accounts.find((account) => isReached(masterAccount, [account], followers))
  return `${back} copies ${masterAccount}, which copies it in turn`
}

/** Whether trades of one of these accounts come to `account`, directly or by others between. */
function isReached(account: string, from: readonly string[], followers: Followers): boolean {
  const seen = new Set(from)
  for (const one of seen) {
    if (one === account) return true
    for (const follower of followers.get(one) ?? []) seen.add(follower)
  }
  return false
}

interface Claim {
  readonly configId: string
  readonly account: string
  readonly symbol: string
}

/** One account and symbol that two copiers would order: each would take the other's position for its own. */
function claimedTwice(rows: readonly CrossTradeConfig[]): ReadonlyMap<string, string> {
  const claims = rows.flatMap((row) =>
    row.copiers.map(({ account, symbol }) => ({
      configId: row.id,
      account,
      symbol: symbol ?? row.masterSymbol ?? ALL,
    })),
  )
  const count = new Map<string, number>()
  const add = (key: string) => count.set(key, (count.get(key) ?? 0) + 1)
  for (const { account, symbol } of claims) {
    add(`${account} ${symbol}`)
    if (symbol !== ALL) add(`${account} one`)
  }
  const rivals = ({ account, symbol }: Claim) =>
    (count.get(`${account} ${symbol}`) ?? 0) + (count.get(symbol === ALL ? `${account} one` : `${account} ${ALL}`) ?? 0)
  const twice = claims.filter((claim) => rivals(claim) > 1)
  return new Map(
    twice.map(({ configId, account, symbol }) => [
      configId,
      `${symbol === ALL ? 'all symbols' : symbol} of ${account} would be ordered by more than one copier`,
    ]),
  )
}

// Which rows and copiers may copy, and which may not as they are (behaviour 42). One that may not does nothing; the others go on.

interface JudgedCopier {
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

export function judgeRows(rows: readonly CrossTradeConfig[]): readonly JudgedRow[] {
  const problems = new Map(checkRows(rows).map(({ configId, why }) => [configId, why]))
  return rows.map((row) => {
    const why = problems.get(row.id)
    const copiers = row.copiers.map((copier) => {
      const isBad = copier.mode === 'LimitSlippage' && slippageOf(copier) === undefined
      return isBad ? { copier, why: 'its slippage is not a percentage between 0 and 50' } : { copier }
    })
    return why === undefined ? { row, copiers } : { row, why, copiers }
  })
}
