// The figures at the head of the page, each as hookline counts it.
import type { ReactNode } from 'react'
import type { Answer } from '../../../client/questions.ts'
import { Gain, Money } from '../../components/figure.tsx'
import { isLive, shownPortfolio } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { useDesk, useDeskParts } from '../../use-console.ts'
import type { View } from './use-view.ts'

export interface FiguresProps {
  readonly view: View
  readonly equity: Answer<'equity:query'> | undefined
  /** Of the whole span. */
  readonly made: Answer<'pnl:query'> | undefined
  /** Since midnight. */
  readonly today: Answer<'pnl:query'> | undefined
}

export function Figures({ view, equity, made, today }: FiguresProps) {
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
        <Headline title="Today" note="net, from midnight">
          {gain(today, sinceMidnight?.net)}
        </Headline>
        <Headline title={view.span.title} note="net">
          {gain(made, sums?.net)}
        </Headline>
        <Headline title="Fees" note={view.span.title}>
          {made !== undefined && <Money text={sums?.fees ?? '0'} isStale={isOld} />}
        </Headline>
        <Headline title="Funding" note={view.span.title}>
          {gain(made, sums?.funding)}
        </Headline>
      </dl>
    </section>
  )
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
