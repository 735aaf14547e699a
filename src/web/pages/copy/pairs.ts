// Pairs of master and copier as a matrix: a line for each master and symbol, a column for each copier, a pair where they meet.

import { Decimal } from 'decimal.js'
import { defined } from '../../../base/defined.ts'
import type { Answer } from '../../../client/questions.ts'
import { typedLine } from '../../../language/print.ts'
import type { CopierStateRow, CrossTradeConfig, Frame } from '../../../protocol/frames.ts'
import { showFigure } from '../../figures.ts'
import type { CrossTrade } from '../../state/console-state.ts'

/** As a page writes a row; hookline refuses a mode that it does not know. */
export type CopyEdit = NonNullable<Frame<'mutate:cross-trade-config'>['config']>

type Copier = CrossTradeConfig['copiers'][number]

export interface Pair {
  /** For the address. */
  readonly key: string
  readonly row: CrossTradeConfig
  readonly copier: Copier
  /** One for each symbol that it has to do with, the one that most needs a person first; none while the engine is off. */
  readonly states: readonly CopierStateRow[]
  /** Parts of its row that wait for a yes at the terminal. */
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
const RANKS = ['in-step', 'waiting', 'behind', 'differs', 'stale', 'paused', 'blocked', 'unknown']

/** An unknown word counts as one that needs no person. */
function rankOf(state: string): number {
  return RANKS.indexOf(state)
}

interface Standing {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad' | 'off'
  readonly word: string
  readonly why?: string
}

const STANDINGS: Readonly<Record<string, readonly [tone: Standing['tone'], word: string]>> = {
  'in-step': ['good', 'in step'],
  differs: ['warn', 'differs'],
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

// How far what a copier has built is from what it should hold: an amount, a part of it, and words that say it without colour.

export interface Divergence {
  /** Signed: what would have to be bought. */
  readonly missing: string
  /** Of what it should hold; undefined where that is nothing. */
  readonly percent: string | undefined
  readonly tone: 'good' | 'warn' | 'bad'
  readonly words: string
  /** For the bar: how much of the target is there, from 0 to 1. */
  readonly part: number
}

const DECIMAL = /^-?\d+(\.\d+)?$/
/** Smaller differences come from rounding and orders under way. */
const MUCH_PERCENT = 10

/** @returns undefined where one of them cannot be read */
export function divergenceOf(desired: string, owned: string): Divergence | undefined {
  if (!DECIMAL.test(desired) || !DECIMAL.test(owned)) return undefined
  const [target, held] = [new Decimal(desired), new Decimal(owned)]
  const missing = target.minus(held)
  if (missing.isZero()) return { missing: '0', percent: undefined, tone: 'good', words: 'on target', part: 1 }
  const figure = { missing: missing.toFixed() }
  if (target.isZero())
    return {
      ...figure,
      percent: undefined,
      tone: 'bad',
      words: `${unsigned(held)} too much, should hold nothing`,
      part: 1,
    }
  const off = missing.div(target).times(100).abs()
  const tone = off.gt(MUCH_PERCENT) ? 'bad' : 'warn'
  const percent = percentText(off)
  const part = Math.max(0, Math.min(1, held.div(target).toNumber()))
  if (held.isZero() || held.isNegative() === target.isNegative()) {
    const isShort = held.abs().lt(target.abs())
    return {
      ...figure,
      percent,
      tone,
      words: `${unsigned(missing)} ${isShort ? 'missing' : 'too much'}, ${percent}`,
      part,
    }
  }
  return { ...figure, percent, tone: 'bad', words: `on the other side, ${unsigned(missing)} off`, part }
}

/** `13.3 %`. What is not nothing never reads as nothing. */
function percentText(percent: Decimal): string {
  if (percent.lt(0.1)) return 'less than 0.1 %'
  if (percent.gt(999)) return 'more than 999 %'
  return `${percent.toDecimalPlaces(1).toFixed()} %`
}

function unsigned(amount: Decimal): string {
  return amount.abs().toFixed()
}

// A pair as it is being typed, and the line that would make it at the hookline terminal.

export interface Draft {
  readonly masterAccount: string
  /** Empty: every symbol. */
  readonly masterSymbol: string
  readonly masterWeight: string
  readonly account: string
  /** Empty: the master's. */
  readonly symbol: string
  readonly weight: string
  readonly mode: string
  /** In percent; empty: hookline's own. */
  readonly slippage: string
}

export const MODES = [
  { id: 'Market', title: 'Market', description: 'At once, at the market.' },
  { id: 'LimitSlippage', title: 'Limit', description: 'Fills at once within the slippage, or not.' },
  { id: 'Chase', title: 'Chase', description: 'Follows the price: five minutes to build, one to close.' },
] as const

export function newDraft(from: Partial<Draft>): Draft {
  return {
    masterAccount: '',
    masterSymbol: '',
    masterWeight: '1',
    account: '',
    symbol: '',
    weight: '1',
    mode: 'Market',
    slippage: '',
    ...from,
  }
}

export function draftOf({ row, copier }: Pair): Draft {
  return {
    masterAccount: row.masterAccount,
    masterSymbol: row.masterSymbol ?? '',
    masterWeight: String(row.masterWeight),
    account: copier.account,
    symbol: copier.symbol ?? '',
    weight: String(copier.weight),
    mode: copier.mode,
    slippage: copier.slippage ?? '',
  }
}

const OPTIONS = [
  ['--master', 'masterAccount'],
  ['--symbol', 'masterSymbol'],
  ['--copier', 'account'],
  ['--copier-symbol', 'symbol'],
  ['--weight', 'weight'],
  ['--master-weight', 'masterWeight'],
  ['--mode', 'mode'],
  ['--slippage', 'slippage'],
] as const

/** The default of an omitted field. */
const DEFAULTS: Readonly<Partial<Draft>> = { weight: '1', masterWeight: '1', mode: 'Market' }
/** A value with another meaning in a line is not put into one. */
const PLAIN = /^[\w.%+-]+$/

/** @returns undefined while it names no two accounts, or where a line could not say it */
export function addLine(draft: Draft): string | undefined {
  if (draft.masterAccount === '' || draft.account === '') return undefined
  const words = OPTIONS.flatMap(([option, field]) => {
    const text = draft[field].trim()
    const isWritten =
      text !== '' && text !== DEFAULTS[field] && (field !== 'slippage' || draft.mode === 'LimitSlippage')
    return isWritten ? [option, text] : []
  })
  return words.every((word) => PLAIN.test(word)) ? ['cross-trade add', ...words].join(' ') : undefined
}

/** An example of two accounts that there are. @returns undefined: there are no two, or a line could not name them */
export function firstLine(accounts: readonly { readonly name: string }[]): string | undefined {
  const [master, copier] = accounts
  if (master === undefined || copier === undefined) return undefined
  return addLine(newDraft({ masterAccount: master.name, masterSymbol: 'BTCUSDT', account: copier.name, weight: '0.5' }))
}

// The actions of this page on copying, and the lines that only the terminal runs: a page may turn off, the terminal turns on.

interface ToType {
  /** undefined: it cannot be typed. */
  readonly line: string | undefined
  readonly label: string
}

type Row = CrossTrade['configs'][number]

export const STOP_LINE = 'cross-trade stop'

export function disableLine({ id }: Pick<Row, 'id'>): string | undefined {
  return typedLine`cross-trade disable ${id}`
}

export function enableLine({ id }: Pick<Row, 'id'>): string | undefined {
  return typedLine`cross-trade enable ${id}`
}

/** `paper BTCUSDT → swing, bybit-2` */
export function rowName({ masterAccount, masterSymbol, copiers }: Row): string {
  const master = masterSymbol === undefined ? masterAccount : `${masterAccount} ${masterSymbol}`
  return `${master} → ${copiers.map(({ account }) => account).join(', ')}`
}

/** The lines for the hookline terminal that would begin, or go on with, what does not copy now. */
export function linesToType({ running, configs, copiers = [], waiting = [] }: CrossTrade): readonly ToType[] {
  const waits = new Set(waiting.map(({ configId }) => configId))
  const isPaused = ({ id }: Row) => copiers.some(({ configId, state }) => configId === id && state === 'paused')
  return [
    ...(running || configs.length === 0 ? [] : [{ line: 'cross-trade start', label: 'To begin copying:' }]),
    ...configs
      .filter(({ enabled }) => !enabled)
      .map((row) => ({ line: enableLine(row), label: `To turn on ${rowName(row)}:` })),
    ...configs
      .filter(({ id, enabled }) => enabled && waits.has(id))
      .map((row) => ({ line: enableLine(row), label: `To approve what a page changed of ${rowName(row)}:` })),
    ...configs
      .filter((row) => row.enabled && !waits.has(row.id) && isPaused(row))
      .map((row) => ({ line: enableLine(row), label: `To wake what is paused of ${rowName(row)}:` })),
  ]
}

/** `× 0.5`; where the master's own weight is not 1, it is named: `× 0.5 of 2`. */
export function weightText(
  { masterWeight }: Pick<Row, 'masterWeight'>,
  { weight }: Pick<Row['copiers'][number], 'weight'>,
) {
  const of = masterWeight === 1 ? '' : ` of ${showFigure(String(masterWeight))}`
  return `× ${showFigure(String(weight))}${of}`
}

/** A later mode is shown as it is. */
export function modeTitle(mode: string): string {
  return MODES.find(({ id }) => id === mode)?.title ?? mode
}

// The fate of an order of a copier, in a word: placed, refused or unknown, and its later state.

export type Copy = Answer<'copies:query'>['copies'][number]

interface Outcome {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad' | ''
  readonly word: string
}

const OUTCOMES: ReadonlyMap<string, Outcome> = new Map(
  Object.entries<Outcome>({
    sent: { tone: 'busy', word: 'sent' },
    placed: { tone: 'busy', word: 'placed' },
    closed: { tone: 'good', word: 'filled' },
    refused: { tone: 'bad', word: 'refused' },
    rejected: { tone: 'bad', word: 'refused' },
    unknown: { tone: 'bad', word: 'unknown' },
    simulated: { tone: '', word: 'simulated' },
  }),
)

/** A later word is shown as it is. */
export function outcomeOf({ state, filled }: Pick<Copy, 'state' | 'filled'>): Outcome {
  if (state !== 'canceled' && state !== 'expired') return OUTCOMES.get(state) ?? { tone: '', word: state }
  return /[1-9]/.test(filled) ? { tone: 'warn', word: 'filled in part' } : { tone: 'warn', word: 'not filled' }
}
