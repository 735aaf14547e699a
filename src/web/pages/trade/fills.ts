import { createContext, useContext, useEffect, useState } from 'react'
import type { FillRow } from '../../../protocol/frames.ts'
import { roundedTo, showPrice } from '../../figures.ts'
import { isLive } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'

// Fills that come more than once, and late: (list, rows) → list.

const KEPT = 500

/** Venues number fills within a symbol. */
function fillKey({ symbol, id }: Pick<FillRow, 'symbol' | 'id'>): string {
  return `${symbol} ${id}`
}

/** Newest first, each once; of one account. */
export function withFills(
  known: readonly FillRow[] | undefined,
  rows: readonly FillRow[],
  account: string,
): readonly FillRow[] {
  const byId = new Map((known ?? []).map((fill) => [fillKey(fill), fill]))
  // One report of a fill may omit fields, such as its profit, that another has.
  for (const fill of rows) {
    const key = fillKey(fill)
    if (fill.account === account) byId.set(key, { ...byId.get(key), ...fill })
  }
  return [...byId.values()].sort((a, b) => b.timestamp - a.timestamp).slice(0, KEPT)
}

// The fills of the account of this tab, newest first: history, then live ones.

export const FillsContext = createContext<readonly FillRow[] | undefined>(undefined)

/** undefined: nothing is known yet. */
export function useFills(): readonly FillRow[] | undefined {
  return useContext(FillsContext)
}

const PAGE = 200
/** Only the history has the profit of a fill: the history is queried this long after its notice. */
const REALISED_AFTER_MS = 1_000
const NEWEST = 50

/** For the page; its parts take it by {@link useFills}. */
export function useFollowedFills(account: string | undefined): readonly FillRow[] | undefined {
  const { looks } = useConsole()
  const isConnected = useDesk(isLive)
  const isHidden = useDesk(({ flags }) => flags?.accountSync === false)
  const [fills, setFills] = useState<readonly FillRow[]>()
  useEffect(() => {
    if (isHidden) setFills(undefined)
  }, [isHidden])
  useEffect(() => setFills((known) => known?.filter((fill) => fill.account === account)), [account])
  useEffect(() => {
    if (!isConnected || isHidden || account === undefined) return undefined
    let isOver = false
    const add = (rows: readonly FillRow[]) => {
      if (!isOver) setFills((known) => withFills(known, rows, account))
    }
    // A hookline that does not answer leaves the table unchanged.
    const ask = (limit: number) =>
      looks.ask.fills({ account, limit }).then(
        ({ fills: rows }) => add(rows),
        () => undefined,
      )
    let soon: ReturnType<typeof setTimeout> | undefined
    const receive = (rows: readonly FillRow[]) => {
      add(rows)
      if (!rows.some((fill) => fill.account === account && fill.pnl === undefined)) return
      soon ??= setTimeout(() => {
        soon = undefined
        void ask(NEWEST)
      }, REALISED_AFTER_MS)
    }
    void ask(PAGE)
    const stops = [looks.on('state:fills', ({ fills: rows }) => receive(rows)), looks.subscribe('fills')]
    return () => {
      isOver = true
      clearTimeout(soon)
      for (const stop of stops) stop()
    }
  }, [looks, account, isConnected, isHidden])
  return fills
}

// Fees as shown: those of one asset have the same digits, enough for the smallest of them.

type Fee = Pick<FillRow, 'fee' | 'feeCurrency'>

const LEAST_DIGITS = 2
const MOST_DIGITS = 8
/** Significant digits of the smallest fee. */
const SIGNIFICANT_DIGITS = 2

/** After the point, by asset. */
export function feeDigits(fills: readonly Fee[]): ReadonlyMap<string, number> {
  const digits = new Map<string, number>()
  for (const { fee, feeCurrency = '' } of fills) {
    if (fee === undefined) continue
    digits.set(feeCurrency, Math.max(digits.get(feeCurrency) ?? LEAST_DIGITS, digitsNeeded(fee)))
  }
  return digits
}

function digitsNeeded(fee: string): number {
  const [whole = '', fraction = ''] = fee.replace('-', '').split('.')
  if (/[1-9]/.test(whole) || !/[1-9]/.test(fraction)) return LEAST_DIGITS
  return Math.min(MOST_DIGITS, fraction.search(/[1-9]/) + SIGNIFICANT_DIGITS)
}

/** @returns undefined: the venue does not send it */
export function showFee({ fee, feeCurrency = '' }: Fee, digits: ReadonlyMap<string, number>): string | undefined {
  if (fee === undefined) return undefined
  const kept = digits.get(feeCurrency) ?? LEAST_DIGITS
  const rounded = roundedTo(fee, kept)
  return showPrice(rounded, `0.${'0'.repeat(kept - 1)}1`)
}

/** What people noted of an order: `late entry #fomo`. */
export function noteText({ note, tags = [] }: Pick<FillRow, 'note' | 'tags'>): string {
  return [...(note === undefined ? [] : [note]), ...tags.map((tag) => `#${tag}`)].join(' ')
}
