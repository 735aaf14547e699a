// The favourites, and what is traded, with price, 24 h and funding. A chunk of its own.
import { type FormEvent, useMemo, useState } from 'react'
import { defined } from '../../../base/defined.ts'
import { ClientError } from '../../../client/pending-calls.ts'
import type { Answer } from '../../../client/questions.ts'
import { WIRE_LIMITS } from '../../../protocol/wire-limits.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, Nothing } from '../../components/pane.tsx'
import { Words } from '../../components/words.tsx'
import {
  changeOf,
  compareFigures,
  percentOf,
  roundedTo,
  showFigure,
  showPrice,
  showTime,
  toneOf,
} from '../../figures.ts'
import { knownSymbols, toggleFavourite, useFavourites, useGoToSymbol } from '../../shell/account-symbol-picker.tsx'
import { useConsole, useDesk, useDeskParts, useNow } from '../../state/use-console.ts'
import { useQuery } from '../../state/use-query.ts'
import { useHeld } from './holdings-context.ts'

type Market = Answer<'markets:query'>['markets'][number]

const EVERY_MS = 10_000

export default function Watchlist() {
  const { ask } = useConsole()
  const { account, symbol } = useHeld().scope
  const favourites = useFavourites(({ symbols }) => symbols)
  const known = knownSymbols(useDeskParts('focus', 'portfolio', 'tasks'))
  const wanted = [...new Set([...favourites, symbol, ...known])].filter(Boolean).slice(0, WIRE_LIMITS.watchlist)
  const turn = Math.floor(useNow(true) / EVERY_MS)
  const question = account === '' || wanted.length === 0 ? undefined : JSON.stringify([account, wanted])
  const { answer, problem } = useQuery(question, turn, () => ask.markets({ account, symbols: wanted }))
  const columns = useColumns(favourites, symbol)
  const shown = useDesk(({ market }) => (market?.account === account && market.symbol === symbol ? market : undefined))
  const last = shown?.ticker?.last
  const change = changeOf(shown?.day?.open, last)
  // As in the header, not up to ten seconds older.
  const current = defined({ last, changePercent: change })
  const rows = answer?.markets.map((row) => (row.symbol === symbol ? { ...row, ...current } : row)) ?? []
  return (
    <>
      <AddSymbol account={account} />
      {answer === undefined && problem === undefined && <Nothing what="Prices" rows={3} />}
      {problem !== undefined && <Empty>{problem}</Empty>}
      {answer && <DataTable label="Watchlist" columns={columns} rows={rows} keyOf={(market) => market.symbol} />}
    </>
  )
}

/** A symbol that its exchange does not list is not watched. */
function AddSymbol({ account }: { readonly account: string }) {
  const { ask } = useConsole()
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const { symbols } = useFavourites()
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const symbol = typed.trim().toUpperCase()
    if (symbol === '') return
    const answer = await ask.markets({ account, symbols: [symbol] }).catch(problemOf)
    const why = 'markets' in answer ? whyNotWatched(answer.markets[0]) : answer.problem
    setProblem(why)
    if (why !== undefined) return
    if (!symbols.includes(symbol)) toggleFavourite(symbol)
    setTyped('')
  }
  return (
    <form className="inset row form" onSubmit={add}>
      <input
        aria-label="Symbol to watch"
        placeholder="Symbol, such as ETHUSDT"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          setProblem(undefined)
        }}
      />
      <button type="submit" className="button small" disabled={typed.trim() === ''}>
        Watch it
      </button>
      {problem !== undefined && (
        <p className="refusal" role="alert">
          <Words text={problem} />
        </p>
      )}
    </form>
  )
}

/** @param market as hookline answers; undefined: it does not know the symbol */
export function whyNotWatched(market: Pick<Market, 'last' | 'problem'> | undefined): string | undefined {
  return market?.last === undefined ? (market?.problem ?? 'This symbol has no price.') : undefined
}

function problemOf(error: unknown): { readonly problem: string } {
  if (!(error instanceof ClientError)) throw error
  return { problem: error.message }
}

function useColumns(favourites: readonly string[], shown: string): readonly Column<Market>[] {
  const go = useGoToSymbol()
  return useMemo(
    () => [
      {
        id: 'symbol',
        title: 'Symbol',
        isRowHead: true,
        cell: ({ symbol }) => (
          <button
            type="button"
            className="as-other"
            aria-current={symbol === shown ? 'true' : undefined}
            title={`Show ${symbol}`}
            onClick={() => go(symbol)}
          >
            {symbol}
          </button>
        ),
        compare: (a, b) => a.symbol.localeCompare(b.symbol),
      },
      {
        id: 'last',
        title: 'Last',
        isFigure: true,
        chars: 9,
        cell: ({ last, tick, problem }) =>
          last === undefined ? <WhyNone problem={problem} /> : showPrice(last, tick ?? last),
        compare: (a, b) => compareFigures(a.last, b.last),
      },
      {
        id: 'change',
        title: '24 h %',
        isFigure: true,
        chars: 7,
        cell: ({ changePercent }) => <Change percent={changePercent} />,
        compare: (a, b) => compareFigures(a.changePercent, b.changePercent),
      },
      {
        id: 'funding',
        title: 'Funding %',
        rank: 2,
        isFigure: true,
        chars: 8,
        cell: ({ fundingRate, fundingAt }) =>
          fundingRate === undefined ? (
            '–'
          ) : (
            <span title={fundingAt === undefined ? undefined : `next at ${showTime(fundingAt, Date.now())}`}>
              {percentOf(fundingRate)}
            </span>
          ),
        compare: (a, b) => compareFigures(a.fundingRate, b.fundingRate),
      },
      {
        id: 'volume',
        title: '24 h volume',
        rank: 1,
        isFigure: true,
        chars: 11,
        cell: ({ quoteVolume }) => (quoteVolume === undefined ? '–' : showFigure(roundedTo(quoteVolume, 0))),
        compare: (a, b) => compareFigures(a.quoteVolume, b.quoteVolume),
      },
      {
        id: 'star',
        title: 'Favourite',
        isUnseen: true,
        cell: ({ symbol }) => (
          <button
            type="button"
            className="button small"
            aria-label={`Favourite ${symbol}`}
            aria-pressed={favourites.includes(symbol)}
            onClick={() => toggleFavourite(symbol)}
          >
            {favourites.includes(symbol) ? '★' : '☆'}
          </button>
        ),
      },
    ],
    [favourites, shown, go],
  )
}

function WhyNone({ problem = '–' }: { readonly problem: string | undefined }) {
  return (
    <span className="muted">
      <Words text={problem} />
    </span>
  )
}

function Change({ percent }: { readonly percent: string | undefined }) {
  if (percent === undefined) return '–'
  const text = roundedTo(percent, 2)
  const tone = toneOf(text)
  return <span className={tone}>{`${tone === 'gain' ? '+' : ''}${showFigure(text)}`}</span>
}
