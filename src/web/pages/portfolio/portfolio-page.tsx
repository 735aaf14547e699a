// Portfolio: what an account is worth and was worth, and what made it so.
import type { ReactNode } from 'react'
import { defined } from '../../../base/defined.ts'
import type { Answer } from '../../../client/questions.ts'
import { Gain, Money } from '../../components/figure.tsx'
import { Empty, Pane } from '../../components/pane.tsx'
import { openOf, showFigure, showMoney, showSignedMoney, showTime } from '../../figures.ts'
import { ACCOUNTS_HIDDEN, isLive, shownPortfolio } from '../../state/console-state.ts'
import { useConsole, useDesk, useDeskParts } from '../../state/use-console.ts'
import { useQuery } from '../../state/use-query.ts'
import { dayText, startOfDay, wallOf } from '../../zoned-days.ts'
import { rangeOf } from './calendar.ts'
import { DaysPane } from './days-pane.tsx'
import { type AccountEquity, type AllWorth, addedUp, olderOnes, uncounted, useAllEquity } from './equity.ts'
import { EquityPane } from './equity-pane.tsx'
import { MadePane } from './pnl-pane.tsx'
import { startOf, useView, type View } from './use-view.ts'
import './portfolio.css'

export function PortfolioPage() {
  const view = useView()
  const isHidden = useDesk(({ flags }) => flags?.accountSync === false)
  if (isHidden)
    return (
      <div className="page page-portfolio">
        <Pane id="equity" title="Equity">
          <Empty>{ACCOUNTS_HIDDEN}</Empty>
        </Pane>
      </div>
    )
  return <Shown view={view} />
}

/** In the list. */
const MOST_TRADES = 100

function Shown({ view }: { readonly view: View }) {
  const { ask } = useConsole()
  const { account, span, by, month, zone } = view
  const accounts = useAllEquity()
  // Every fill changes it.
  const wallet = useDesk((state) => shownPortfolio(state)?.balance.wallet)
  const of = (what: string) => account && JSON.stringify([what, account, span.id])
  const own = defined({ account })
  const scope = () => ({ ...own, ...startOf(span, Date.now()) })
  const equity = useQuery(of('equity'), wallet, () => ask.equity(scope()))
  const summed = by === 'trade' ? undefined : by
  const made = useQuery(summed && of(`made by ${summed} ${zone}`), wallet, () =>
    by === 'account'
      ? ask.pnl({ by, ...startOf(span, Date.now()) })
      : ask.pnl({ by: summed ?? 'day', zone, ...scope() }),
  )
  const whole = useQuery(of('made'), wallet, () => ask.pnl({ by: 'day', ...scope() }))
  const trades = useQuery(of('trades'), wallet, () => ask.trades({ ...scope(), limit: MOST_TRADES }))
  const today = useQuery(account && `today ${account} ${zone}`, wallet, () =>
    ask.pnl({ by: 'day', ...own, from: startOfDay(wallOf(Date.now(), zone).day, zone) }),
  )
  const days = useQuery(account && JSON.stringify(['days', account, month, zone]), wallet, () =>
    ask.pnl({ by: 'day', zone, ...own, ...rangeOf(month, zone) }),
  )
  return (
    <div className="page page-portfolio">
      <Figures
        view={view}
        equity={equity.answer}
        made={whole.answer}
        today={today.answer}
        trades={trades.answer}
        accounts={accounts}
      />
      <EquityPane view={view} query={equity} deepest={fallOf(trades.answer)} />
      <DaysPane view={view} query={days} currency={equity.answer?.currency} />
      <MadePane view={view} query={made} trades={trades} />
    </div>
  )
}

// The figures at the head of the page, each as hookline counts it.

export interface FiguresProps {
  readonly view: View
  readonly equity: Answer<'equity:query'> | undefined
  /** Of the whole span. */
  readonly made: Answer<'pnl:query'> | undefined
  /** Since midnight. */
  readonly today: Answer<'pnl:query'> | undefined
  /** Closed within the span; undefined: an older hookline. */
  readonly trades: Answer<'trades:query'> | undefined
  /** Of every account in use. */
  readonly accounts: AccountEquity
}

export function Figures({ view, equity, made, today, trades, accounts }: FiguresProps) {
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
  const fall = fallOf(trades)
  const gain = (answer: unknown, text: string | undefined) =>
    answer !== undefined && <Gain text={text ?? '0'} isStale={isOld} />
  const seen = live === undefined && last !== undefined ? `at ${showTime(last[0], Date.now())}` : currency
  return (
    <section className="folio-figures" aria-label="Figures">
      <dl className="boxed round clips surface gap-0 grid figures">
        <Headline title="Equity" note={seen}>
          {money(live?.total ?? last?.[1])}
        </Headline>
        <Headline title="Wallet" note="without open profit">
          {money(live?.wallet ?? last?.[2])}
        </Headline>
        <AccountsHeadline accounts={accounts} shown={shown} isOld={isOld} />
        <Headline title="Net today" note={todayNote(live, currency)}>
          {gain(today, sinceMidnight?.net)}
        </Headline>
        <Headline title={view.span.title} note={['net', currency].filter(Boolean).join(', ')}>
          {gain(made, sums?.net)}
        </Headline>
        <Headline title="Fees" note={made && `funding ${showMoney(sums?.funding ?? '0')}`}>
          {made !== undefined && <Money text={sums?.fees ?? '0'} isStale={isOld} />}
        </Headline>
        <Headline title="Closed trades" note={trades && tradesNote(trades)}>
          {trades?.trades.toLocaleString('en-US')}
        </Headline>
        <Headline title="Win rate" note={trades && `${trades.won} won, ${trades.lost} lost`}>
          {trades?.winRate !== undefined && `${showFigure(trades.winRate)} %`}
        </Headline>
        <Headline title="Profit factor" note="gross profit ÷ gross loss">
          {trades?.sums.find((each) => each.currency === currency)?.profitFactor}
        </Headline>
        <Headline
          title="Average R"
          note={trades?.r && `best ${showFigure(trades.r.best)}, worst ${showFigure(trades.r.worst)}`}
        >
          {trades?.r && `${showFigure(trades.r.average)} R`}
        </Headline>
        <Headline title="Max drawdown" note={trades?.maxDrawdown && fallNote(trades.maxDrawdown, view.zone)}>
          {fall !== undefined && <span className="loss">{`${showFigure(fall)} %`}</span>}
        </Headline>
      </dl>
    </section>
  )
}

interface AccountsHeadlineProps {
  readonly accounts: AccountEquity
  readonly shown: ReturnType<typeof shownPortfolio>
  readonly isOld: boolean
}

function AccountsHeadline({ accounts, shown, isOld }: AccountsHeadlineProps) {
  const unused = uncounted(useDesk((state) => state.accounts) ?? [], accounts)
  const all = addedUp(accounts, shown)
  return (
    <Headline
      title={unused.length === 0 ? 'All accounts' : 'Accounts in use'}
      note={allNote(all, olderOnes(accounts, shown?.account, Date.now()), unused)}
    >
      {all[0] !== undefined && <Money text={all[0].total} isStale={isOld} />}
    </Headline>
  )
}

/** Equity counts what is open, too. */
function todayNote(balance: Parameters<typeof openOf>[0] | undefined, currency: string | undefined): string {
  const open = balance && openOf(balance)
  return ['realized', open && `open ${showSignedMoney(open)}`, currency].filter(Boolean).join(', ')
}

function tradesNote({ open, unknown }: Answer<'trades:query'>): string {
  return unknown === 0 ? `${open} open` : `${open} open, ${unknown} of unknown result`
}

/** Currencies are never added: the others are beside it. @param older of the accounts in it */
export function allNote(
  all: readonly AllWorth[],
  older: readonly string[],
  unused: readonly string[],
): string | undefined {
  const [first, ...others] = all
  if (first === undefined) return 'none in use'
  const count = first.accounts === 1 ? 'one account' : `${first.accounts} accounts`
  return [
    ...(unused.length === 0 ? [] : [`without ${unused.join(', ')}`]),
    `${first.currency}, ${count}`,
    ...others.map(({ total, currency }) => `${showMoney(total)} ${currency}`),
    ...older,
  ].join(', ')
}

/** As `session` counts it: of each record, where the curve has one an hour. @returns negative, in percent; undefined: it never fell, or is not known */
export function fallOf(trades: Pick<Answer<'trades:query'>, 'maxDrawdown'> | undefined): string | undefined {
  const { amount = '0', percent = '0' } = trades?.maxDrawdown ?? {}
  return Number(amount) > 0 && Number(percent) > 0 ? `-${percent}` : undefined
}

function fallNote(
  { amount, percent, from, to }: NonNullable<Answer<'trades:query'>['maxDrawdown']>,
  zone: string,
): string {
  if (Number(amount) === 0) return 'none, by the minute'
  if (Number(percent) === 0) return 'by the minute, less than 0.01 %'
  const [first, last] = [wallOf(from, zone), wallOf(to, zone)]
  const span =
    first.day === last.day ? `${first.clock} to ${last.clock}` : `${dayText(first.day)} to ${dayText(last.day)}`
  return `by the minute, ${span}`
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
      <dt className="text-1">{title}</dt>
      <dd className="baseline cluster">
        <b className="text-4 figure">{children || '–'}</b> <span className="text-1 muted">{note}</span>
      </dd>
    </div>
  )
}
