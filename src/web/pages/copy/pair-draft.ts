// A pair as it is being typed, and the line that would make it at the hookline terminal.
import type { Pair } from './pairs.ts'

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
  { id: 'Market', title: 'Market', says: 'At once, at the market.' },
  { id: 'LimitSlippage', title: 'Limit', says: 'Fills at once within the slippage, or not.' },
  { id: 'Chase', title: 'Chase', says: 'Follows the price: five minutes to build, one to close.' },
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

/** What is not said has this. */
const DEFAULTS: Readonly<Partial<Draft>> = { weight: '1', masterWeight: '1', mode: 'Market' }
/** What could mean something else in a line is not put into one. */
const PLAIN = /^[\w.%+-]+$/

/** @returns undefined while it names no two accounts, or where a line could not say it */
export function addLine(draft: Draft): string | undefined {
  if (draft.masterAccount === '' || draft.account === '') return undefined
  const words = OPTIONS.flatMap(([option, field]) => {
    const text = draft[field].trim()
    const isSaid = text !== '' && text !== DEFAULTS[field] && (field !== 'slippage' || draft.mode === 'LimitSlippage')
    return isSaid ? [option, text] : []
  })
  return words.every((word) => PLAIN.test(word)) ? ['cross-trade add', ...words].join(' ') : undefined
}
