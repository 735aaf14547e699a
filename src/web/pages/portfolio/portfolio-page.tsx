// Portfolio: what an account is worth and was worth, and what made it so.
import { Empty } from '../../components/empty.tsx'
import { Pane } from '../../components/pane.tsx'
import { shownPortfolio } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { ACCOUNTS_HIDDEN } from '../settings/accounts-pane.tsx'
import { EquityPane } from './equity-pane.tsx'
import { Figures } from './figures-pane.tsx'
import { MadePane } from './made-pane.tsx'
import { startOf } from './spans.ts'
import { useTold } from './use-told.ts'
import { useView, type View } from './use-view.ts'
import '../../style/portfolio.css'

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
  const { account, span, by } = view
  // Every fill changes it.
  const wallet = useDesk((state) => shownPortfolio(state)?.balance.wallet)
  const of = (what: string) => account && JSON.stringify([what, account, span.id])
  const scope = () => ({ ...(account === undefined ? {} : { account }), ...startOf(span, Date.now()) })
  const equity = useTold(of('equity'), wallet, () => ask.equity(scope()))
  const made = useTold(of(`made by ${by}`), wallet, () =>
    by === 'account' ? ask.pnl({ by, ...startOf(span, Date.now()) }) : ask.pnl({ by, ...scope() }),
  )
  const whole = useTold(of('made'), wallet, () => ask.pnl({ by: 'day', ...scope() }))
  const today = useTold(account && `today ${account}`, wallet, () =>
    ask.pnl({ by: 'day', ...(account === undefined ? {} : { account }), from: new Date().setHours(0, 0, 0, 0) }),
  )
  return (
    <div className="page page-portfolio">
      <Figures view={view} equity={equity.answer} made={whole.answer} today={today.answer} />
      <EquityPane view={view} told={equity} />
      <MadePane view={view} told={made} />
    </div>
  )
}
