// The figures at the head of the page, each as hookline counts it.
import type { ReactNode } from 'react'
import type { Answer } from '../../../client/questions.ts'
import { Gain, Money } from '../../components/figure.tsx'
import { isLive, shownPortfolio } from '../../console-state.ts'
import { showFigure, showMoney, showTime } from '../../figures.ts'
import { useDesk, useDeskParts } from '../../use-console.ts'
import type { Fall } from './falls.ts'
import type { AllWorth } from './use-all-worth.ts'
import type { View } from './use-view.ts'
import { dayText, wallOf } from './zones.ts'

export interface FiguresProps {
  readonly view: View
  readonly equity: Answer<'equity:query'> | undefined
  /** Of the whole span. */
  readonly made: Answer<'pnl:query'> | undefined
  /** Since midnight. */
  readonly today: Answer<'pnl:query'> | undefined
  /** Of the curve. */
  readonly fall: Fall | undefined
  /** Of every account in use. */
  readonly all: readonly AllWorth[]
}

export function Figures({ view, equity, made, today, fall, all }: FiguresProps) {
  const state = useDeskParts('portfolio', 'focus', 'chosen', 'tabPortfolio')
  const isConnected = useDesk(isLive)
  const shown = shownPortfolio(state)
  const live = shown?.account === view.account ? shown?.balance : undefined
  const last = equity?.points.at(-1)
  const currency = live?.currency ?? equity?.currency
  const isOld =
    !isConnected || (live !== undefined && state.focus?.stale === true && state.focus.account === view.account)
  const sums = made?.total.sums.find((each) => each.currency === currency)
  const sinceMidnight = today?.total.sums.find((each) => each.currency === currency)
  const money = (text: string | undefined) => text !== undefined && <Money text={text} isStale={isOld} />
  // An answer without this currency: nothing was made in it.
  const gain = (answer: unknown, text: string | undefined) =>
    answer !== undefined && <Gain text={text ?? '0'} isStale={isOld} />
  const seen = live === undefined && last !== undefined ? `at ${showTime(last[0], Date.now())}` : currency
  return (
    <section className="folio-figures" aria-label="Figures">
      <dl>
        <Headline title="Equity" note={seen}>
          {money(live?.total ?? last?.[1])}
        </Headline>
        <Headline title="Wallet" note="without open profit">
          {money(live?.wallet ?? last?.[2])}
        </Headline>
        <Headline title="All accounts" note={allNote(all)}>
          {all[0] !== undefined && <Money text={all[0].total} isStale={isOld} />}
        </Headline>
        <Headline title="Today" note="net, from midnight">
          {gain(today, sinceMidnight?.net)}
        </Headline>
        <Headline title={view.span.title} note="net">
          {gain(made, sums?.net)}
        </Headline>
        <Headline title="Deepest fall" note={fall && fallNote(fall, view.zone)}>
          {fall && <span className="loss">{`${showFigure(fall.percent)} %`}</span>}
        </Headline>
        <Headline title="Fees" note={made && `funding ${showMoney(sums?.funding ?? '0')}`}>
          {made !== undefined && <Money text={sums?.fees ?? '0'} isStale={isOld} />}
        </Headline>
      </dl>
    </section>
  )
}

/** Currencies are never added: the others are beside it. */
function allNote(all: readonly AllWorth[]): string | undefined {
  const [first, ...others] = all
  if (first === undefined) return 'none in use'
  const count = first.accounts === 1 ? 'one in use' : `${first.accounts} in use`
  return [
    `${first.currency}, ${count}`,
    ...others.map(({ total, currency }) => `${showMoney(total)} ${currency}`),
  ].join(', ')
}

function fallNote({ from, to }: Fall, zone: string): string {
  const [first, last] = [wallOf(from, zone), wallOf(to, zone)]
  return first.day === last.day ? `${first.clock} to ${last.clock}` : `${dayText(first.day)} to ${dayText(last.day)}`
}

function Headline({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note: string | undefined
  readonly children: ReactNode
}) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <b className="figure">{children || '–'}</b> <span className="muted">{note}</span>
      </dd>
    </div>
  )
}
