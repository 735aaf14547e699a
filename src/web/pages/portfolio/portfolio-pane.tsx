// The account in focus: its money, its positions, its resting orders.
import type { Portfolio } from '../../../protocol/frames.ts'
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { type ConsoleState, isLive, shownPortfolio } from '../../console-state.ts'
import { showMoney } from '../../figures.ts'
import { useConsole, useDesk, useDeskParts } from '../../use-console.ts'
import { ACCOUNTS_HIDDEN } from '../settings/accounts-pane.tsx'
import { OrdersTable } from '../trade/orders-table.tsx'
import { PositionsTable } from '../trade/positions-table.tsx'

export function PortfolioPane() {
  const state = useDeskParts('portfolio', 'focus', 'chosen', 'flags', 'tabPortfolio')
  const isConnected = useDesk(isLive)
  const isRefused = useDesk(({ refusals }) => refusals.length > 0)
  const portfolio = shownPortfolio(state)
  const isHidden = state.flags?.accountSync === false
  const { problem } = state.focus ?? {}
  const isMissing = portfolio === undefined && isConnected && isRefused && !isHidden && !problem
  const reason = whyNoFigures(state)
  return (
    <Pane
      id="portfolio"
      title="Portfolio"
      aside={portfolio && `${portfolio.account}, in ${portfolio.balance.currency}`}
    >
      <BalanceStrip balance={portfolio?.balance} />
      {isConnected && reason !== undefined && portfolio === undefined && <Empty>{reason}</Empty>}
      {isConnected && problem && portfolio && <p className="warning" role="note">{`As last seen: ${problem}`}</p>}
      {isConnected && state.focus?.stale && !problem && portfolio && (
        <p className="warning" role="note">
          Stale: nothing has come from the exchange for too long. Fills may not be shown yet.
        </p>
      )}
      {portfolio === undefined && !isMissing && !(isConnected && reason) && (
        <Nothing what="Positions and orders" rows={4} />
      )}
      {isMissing && <OnDemand />}
      {portfolio && (
        <>
          <PositionsTable portfolio={portfolio} />
          <Orders portfolio={portfolio} />
        </>
      )}
    </Pane>
  )
}

type Facts = Pick<ConsoleState, 'portfolio' | 'focus' | 'chosen' | 'flags'>

function whyNoFigures({ flags, focus, chosen }: Facts): string | undefined {
  if (flags?.accountSync === false) return ACCOUNTS_HIDDEN
  // Of another account than the one in focus, hookline says by itself what is wrong.
  if (chosen.account !== undefined && chosen.account !== focus?.account) return undefined
  return focus?.problem && `hookline shows no figures of ${focus.account}: ${focus.problem}`
}

function OnDemand() {
  const console = useConsole()
  return (
    <div className="on-demand">
      <p>This hookline does not stream its portfolio. Print it in the terminal:</p>
      {['balance', 'positions', 'orders'].map((command) => (
        <button key={command} type="button" className="button small" onClick={() => void console.runFromPanel(command)}>
          {`Show ${command}`}
        </button>
      ))}
    </div>
  )
}

const FIGURES = [
  ['wallet', 'Wallet'],
  ['total', 'Equity'],
  ['used', 'Margin'],
  ['free', 'Free'],
] as const

function BalanceStrip({ balance }: { readonly balance: Portfolio['balance'] | undefined }) {
  return (
    <dl className="balance">
      {FIGURES.map(([key, title]) => (
        <div key={key}>
          <dt>{title}</dt>
          <dd className="figure">{balance ? showMoney(balance[key]) : '–'}</dd>
        </div>
      ))}
    </dl>
  )
}

function Orders({ portfolio }: { readonly portfolio: Portfolio }) {
  const rows = portfolio.orders
  return (
    <section className="block" aria-label="Orders">
      <h3>
        Orders <span className="count">{rows.length}</span>
      </h3>
      {rows.length === 0 ? (
        <Empty>
          No resting orders. <code>stop at -2%</code> protects a position.
        </Empty>
      ) : (
        <OrdersTable portfolio={portfolio} />
      )}
    </section>
  )
}
