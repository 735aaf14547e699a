// Who copies whom, as a matrix has it: a line for each master and symbol, a column for each account that copies, a pair where they meet.
import { defined } from '../../../base/defined.ts'
import type { CopierStateRow, CrossTradeConfig, Frame } from '../../../protocol/frames.ts'
import type { CrossTrade } from '../../console-state.ts'

/** As a page writes a row; hookline refuses a mode that it does not know. */
export type CopyEdit = NonNullable<Frame<'mutate:cross-trade-config'>['config']>

export type Copier = CrossTradeConfig['copiers'][number]

export interface Pair {
  /** For the address. */
  readonly key: string
  readonly row: CrossTradeConfig
  readonly copier: Copier
  /** One for each symbol that it has to do with, the one that most needs a person first; none while the engine is off. */
  readonly states: readonly CopierStateRow[]
  /** What of its row copies only after a yes at the terminal. */
  readonly waits?: readonly string[]
}

export interface Master {
  readonly key: string
  readonly account: string
  /** undefined: every symbol. */
  readonly symbol: string | undefined
  readonly pairs: readonly Pair[]
}

export function pairKey({ id }: Pick<CrossTradeConfig, 'id'>, { account, symbol = '' }: Copier): string {
  return [id, account, symbol].join('/')
}

export function pairsOf({ configs, copiers = [], waiting = [] }: CrossTrade): readonly Pair[] {
  const waits = new Map(waiting.map(({ configId, what }) => [configId, { waits: what }]))
  return configs.flatMap((row) =>
    row.copiers.map((copier) => ({
      ...waits.get(row.id),
      key: pairKey(row, copier),
      row,
      copier,
      states: copiers.filter((state) => isOf(state, row, copier)).sort((a, b) => rankOf(b.state) - rankOf(a.state)),
    })),
  )
}

function isOf({ configId, account, symbol }: CopierStateRow, row: CrossTradeConfig, copier: Copier): boolean {
  const own = copier.symbol ?? row.masterSymbol
  return configId === row.id && account === copier.account && (own === undefined || own === symbol)
}

export function mastersOf(pairs: readonly Pair[]): readonly Master[] {
  const masters = new Map<string, { readonly account: string; readonly symbol: string | undefined; pairs: Pair[] }>()
  for (const pair of pairs) {
    const { masterAccount: account, masterSymbol: symbol } = pair.row
    const key = `${account} ${symbol ?? ''}`
    const master = masters.get(key) ?? { account, symbol, pairs: [] }
    master.pairs.push(pair)
    masters.set(key, master)
  }
  return [...masters].map(([key, master]) => ({ key, ...master })).sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Columns for accounts that do not copy yet: more of them only make the others narrow. */
const MOST_COLUMNS = 5

/** Accounts that copy, by name; then others, while there is room. */
export function columnsOf(pairs: readonly Pair[], accounts: readonly string[]): readonly string[] {
  const copying = [...new Set(pairs.map(({ copier }) => copier.account))].sort()
  const others = accounts.filter((name) => !copying.includes(name)).sort()
  return [...copying, ...others.slice(0, Math.max(0, MOST_COLUMNS - copying.length))]
}

/** From the one that is as it should be to the one that most needs a person. */
const RANKS = ['in-step', 'waiting', 'behind', 'stale', 'paused', 'blocked', 'unknown']

/** A later word counts as one that needs nobody. */
function rankOf(state: string): number {
  return RANKS.indexOf(state)
}

export interface Standing {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad' | 'off'
  readonly word: string
  readonly why?: string
}

const STANDINGS: Readonly<Record<string, readonly [tone: Standing['tone'], word: string]>> = {
  'in-step': ['good', 'in step'],
  behind: ['busy', 'behind'],
  waiting: ['off', 'waiting'],
  stale: ['warn', 'stale'],
  paused: ['bad', 'paused'],
  blocked: ['bad', 'blocked'],
  unknown: ['bad', 'unknown'],
}

/** How a pair is, in a word; of several symbols, that of the one that most needs a person. */
export function standingOf({ row, states, waits }: Pair, isRunning: boolean): Standing {
  if (!row.enabled) return { tone: 'off', word: 'off' }
  if (waits !== undefined) return { tone: 'warn', word: 'waits for a yes', why: waits.join('; ') }
  if (!isRunning) return { tone: 'warn', word: 'engine off' }
  const [worst] = states
  if (worst === undefined) return { tone: 'off', word: 'no news yet' }
  const [tone, word] = STANDINGS[worst.state] ?? ['off' as const, worst.state.replaceAll('-', ' ')]
  return { tone, word, ...defined({ why: worst.why }) }
}
