// What a hook would have done in the past days, as hookline works it out on candles: fires, fills, profit, the deepest fall and the curve.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ClientError } from '../../../client/pending-calls.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EquityChart } from '../../components/equity-chart.tsx'
import { Gain } from '../../components/figure.tsx'
import { compareFigures, digitsOf, showFigure, showMoney, showPrice, showTime } from '../../figures.ts'
import { tradePath } from '../../shell/routes.ts'
import { isLive } from '../../state/console-state.ts'
import { usePreferences } from '../../state/preferences.ts'
import { type Replayed, useReplays } from '../../state/replays.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { zoneName } from '../../zoned-days.ts'

const SHOWN_FILLS = 50
const SPANS = [1, 7, 30, 90, 365] as const

export default function HookReplay({ hook }: { readonly hook: HookRow }) {
  const { looks } = useConsole()
  const isUsable = useDesk(isLive)
  const [days, setDays] = useState<number>(7)
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const replayed = useReplays((state) => state.ofHook[hook.id])
  const ask = async () => {
    setAsking(true)
    setProblem(undefined)
    try {
      const answer = await looks.ask.replay({ hookId: hook.id, days })
      useReplays.setState(({ ofHook }) => ({ ofHook: { ...ofHook, [hook.id]: answer } }))
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      setProblem(error.message)
    } finally {
      setAsking(false)
    }
  }
  const isOfAnother = replayed !== undefined && (replayed.when !== hook.when?.text || replayed.command !== hook.command)
  return (
    <>
      <p className="muted">What it would have done on past candles. Nothing is sent.</p>
      <div className="gap-3 cluster">
        <select
          className="soft raised select"
          aria-label="How far back"
          value={days}
          onChange={({ target }) => setDays(Number(target.value))}
        >
          {SPANS.map((span) => (
            <option key={span} value={span}>
              {span === 1 ? '1 day' : `${span} days`}
            </option>
          ))}
        </select>
        <button type="button" className="button small" disabled={!isUsable || isAsking} onClick={() => void ask()}>
          {isAsking ? 'Replaying…' : 'Replay'}
        </button>
        {replayed && <OnChart replayed={replayed} />}
      </div>
      <div role="status" aria-label="Outcome of the replay">
        {problem !== undefined && <p className="breaks run-error">{problem}</p>}
        {replayed && (
          <>
            {isOfAnother && <p className="soft warning">The hook was edited after this replay.</p>}
            <Outcome replayed={replayed} />
          </>
        )}
      </div>
    </>
  )
}

/** Chooses the hook on the chart of its symbol, in the frame of its condition. */
function OnChart({ replayed: { hookId, symbol, frame } }: { readonly replayed: Replayed }) {
  const [, navigate] = useLocation()
  const show = () => {
    useReplays.setState({ onChart: hookId })
    navigate(tradePath(symbol, frame))
  }
  return (
    <button type="button" className="button small" onClick={show}>
      Show on the chart
    </button>
  )
}

function Outcome({ replayed }: { readonly replayed: Replayed }) {
  const { symbol, frame, bars, from, to, currency, account, deepestFall: fall, equity, fills, leftOut = 0 } = replayed
  const zone = usePreferences(({ timeZone }) => zoneName(timeZone))
  const now = Date.now()
  const finest = fills.reduce((like, { price }) => (digitsOf(price) > digitsOf(like) ? price : like), '0')
  const shown = fills
    .map((fill, place) => ({ ...fill, price: showPrice(fill.price, finest), place }))
    .slice(-SHOWN_FILLS)
    .toReversed()
  const hidden = leftOut + fills.length - shown.length
  const { error, ended, tasks, notes, assumptions } = replayed
  const lines = [
    ...(error === undefined ? [] : [`The first fire that did not run: ${error}`]),
    ...tasks.map(({ kind, status, doing }) =>
      [kind, status === 'cancelled' ? 'canceled' : status, doing].filter((text) => text !== undefined).join(', '),
    ),
    ...(ended === undefined
      ? []
      : [ended === 'stopped' ? 'It was stopped here: it took too long.' : 'It ends here: it fired too often.']),
    ...notes,
  ]
  return (
    <div className="grid fire-outcome">
      <p className="muted">
        {`${symbol}, ${bars.toLocaleString('en-US')} candles of ${frame}, ${showTime(from, now)} to ${showTime(to, now)}, from ${showMoney(replayed.balance)} ${currency}`}
      </p>
      <Figures replayed={replayed} />
      {equity.length > 1 && (
        <EquityChart
          points={equity}
          account={`Replay on ${account}`}
          currency={currency}
          zone={zone}
          deepest={fall && `-${fall.percent}`}
        />
      )}
      {fills.length > 0 && (
        <DataTable label="Fills of the replay" columns={COLUMNS} rows={shown} keyOf={({ place }) => `${place}`} />
      )}
      <ul className="gap-1 grid muted">
        {hidden > 0 && <li>{`${hidden} earlier fills are left out`}</li>}
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <details className="muted">
        <summary>What candles cannot show</summary>
        <ul className="gap-1 grid">
          {assumptions.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </div>
  )
}

function Figures({ replayed }: { readonly replayed: Replayed }) {
  const { fires, fills, leftOut = 0, profit, profitPercent, currency, fees, deepestFall: fall } = replayed
  const { trades, inMarketPercent } = replayed
  const fired = fires.reduce((sum, { count }) => sum + count, 0)
  const rows: readonly (readonly [title: string, value: React.ReactNode, aside?: string | undefined])[] = [
    ['Profit', <Gain key="profit" text={profit} />, `${currency}, ${showFigure(profitPercent)} %`],
    [
      'Max drawdown',
      fall === undefined ? 'none' : showMoney(fall.amount),
      fall && `${currency}, ${showFigure(fall.percent)} %`,
    ],
    ['Fires', fired, fires.map(({ state, count }) => `${count} ${state}`).join(', ')],
    ['Fills', fills.length + leftOut, `fees ${showMoney(fees)}`],
    ['Closed trades', trades, tradesNote(replayed)],
    ['Time in market', `${inMarketPercent} %`],
  ]
  return (
    <div className="boxed round clips gap-0 grid figures hook-figures">
      {rows.map(([title, value, aside]) => (
        <div key={title}>
          <span className="muted">{title}</span>
          <b className="text-4 numeric">{value}</b>
          <span className="muted">{aside}</span>
        </div>
      ))}
    </div>
  )
}

/** A position that many exits make smaller is one trade, and open. */
export function tradesNote({ open, exits, winRate, r }: Pick<Replayed, 'open' | 'exits' | 'winRate' | 'r'>): string {
  return [
    open && `${open.side} ${showFigure(open.amount)} open`,
    open && exits && `${exits} ${exits === 1 ? 'exit' : 'exits'}`,
    winRate && `${winRate} % won`,
    r && `R ${showFigure(r)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

type FillLine = Replayed['fills'][number] & { readonly place: number }

const COLUMNS: readonly Column<FillLine>[] = [
  { id: 'at', title: 'Time', isRowHead: true, cell: ({ at }) => showTime(at, Date.now()) },
  { id: 'side', title: 'Side', cell: ({ side }) => <span className={side === 'buy' ? 'gain' : 'loss'}>{side}</span> },
  { id: 'amount', title: 'Amount', isFigure: true, cell: ({ amount }) => showFigure(amount) },
  { id: 'price', title: 'Price', isFigure: true, cell: ({ price }) => price },
  { id: 'fee', title: 'Fee', isFigure: true, cell: ({ fee }) => fee && showMoney(fee) },
  {
    id: 'pnl',
    title: 'Realized',
    isFigure: true,
    // One that only opens realises nothing.
    cell: ({ pnl = '0' }) => compareFigures(pnl, '0') !== 0 && <Gain text={pnl} />,
  },
]
