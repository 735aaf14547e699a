// Portfolio: what an account is worth and was worth, and what made it so.
import { useMemo } from 'react'
import { defined } from '../../../base/defined.ts'
import { Empty } from '../../components/empty.tsx'
import { Pane } from '../../components/pane.tsx'
import { shownPortfolio } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { ACCOUNTS_HIDDEN } from '../settings/accounts-pane.tsx'
import { rangeOf } from './calendar.ts'
import { DaysPane } from './days-pane.tsx'
import { EquityPane } from './equity-pane.tsx'
import { deepestFall } from './falls.ts'
import { Figures } from './figures-pane.tsx'
import { MadePane } from './made-pane.tsx'
import { startOf } from './spans.ts'
import { useAllWorth } from './use-all-worth.ts'
import { useTold } from './use-told.ts'
import { useView, type View } from './use-view.ts'
import { startOfDay, wallOf } from './zones.ts'
import '../../style/portfolio.css'
import '../../style/portfolio-days.css'

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

function Shown({ view }: { readonly view: View }) {
  const { ask } = useConsole()
  const { account, span, by, month, zone } = view
  const all = useAllWorth()
  // Every fill changes it.
  const wallet = useDesk((state) => shownPortfolio(state)?.balance.wallet)
  const of = (what: string) => account && JSON.stringify([what, account, span.id])
  const own = defined({ account })
  const scope = () => ({ ...own, ...startOf(span, Date.now()) })
  const equity = useTold(of('equity'), wallet, () => ask.equity(scope()))
  const made = useTold(of(`made by ${by} ${zone}`), wallet, () =>
    by === 'account' ? ask.pnl({ by, ...startOf(span, Date.now()) }) : ask.pnl({ by, zone, ...scope() }),
  )
  const whole = useTold(of('made'), wallet, () => ask.pnl({ by: 'day', ...scope() }))
  const today = useTold(account && `today ${account} ${zone}`, wallet, () =>
    ask.pnl({ by: 'day', ...own, from: startOfDay(wallOf(Date.now(), zone).day, zone) }),
  )
  const days = useTold(account && JSON.stringify(['days', account, month, zone]), wallet, () =>
    ask.pnl({ by: 'day', zone, ...own, ...rangeOf(month, zone) }),
  )
  const points = equity.answer?.points
  const fall = useMemo(() => deepestFall(points ?? []), [points])
  return (
    <div className="page page-portfolio">
      <Figures view={view} equity={equity.answer} made={whole.answer} today={today.answer} fall={fall} all={all} />
      <EquityPane view={view} told={equity} fall={fall} />
      <DaysPane view={view} told={days} currency={equity.answer?.currency} />
      <MadePane view={view} told={made} />
    </div>
  )
}
