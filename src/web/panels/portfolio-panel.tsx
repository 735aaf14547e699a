// The account in focus: its money, its positions, its resting orders.

import type { Portfolio } from '../../protocol/frames.ts'
import { cancelWarning } from '../cancel-warning.ts'
import { useConfirm } from '../confirm.tsx'
import { isLive, whyNoCommands } from '../console-state.ts'
import { type ColumnHead, DataTable } from '../data-table.tsx'
import { showAverage, showFigure, showMoney, showSignedMoney, showTime, toneOf } from '../figures.ts'
import { Empty, Nothing, Panel } from '../panel.tsx'
import { useConsole, useConsoleState } from '../use-console.ts'
import { ACCOUNTS_HIDDEN } from './accounts-panel.tsx'

type Order = Portfolio['orders'][number]

const POSITION_COLUMNS: readonly ColumnHead[] = [
  { title: 'Symbol' },
  { title: 'Side' },
  { title: 'Amount', isFigure: true },
  { title: 'PnL', isFigure: true },
  { title: 'Value', isFigure: true },
  { title: 'Entry', isFigure: true },
  { title: 'Mark', isFigure: true },
  { title: 'Realised', isFigure: true },
]

const ORDER_COLUMNS: readonly ColumnHead[] = [
  { title: 'Symbol' },
  { title: 'Side' },
  { title: 'Type' },
  { title: 'Amount', isFigure: true },
  { title: 'Price', isFigure: true },
  { title: 'Filled', isFigure: true },
  { title: 'Flags' },
  { title: 'Placed' },
  { title: 'Action', isUnseen: true },
]

/** A side that is not known here is shown without a colour. */
const SIDE_TONE: ReadonlyMap<string, string> = new Map([
  ['long', 'gain'],
  ['buy', 'gain'],
  ['short', 'loss'],
  ['sell', 'loss'],
])

export function PortfolioPanel() {
  const state = useConsoleState()
  const console = useConsole()
  const { portfolio } = state
  const onDemand = ['balance', 'positions', 'orders'].map((command) => (
    <button key={command} type="button" className="button small" onClick={() => void console.runFromPanel(command)}>
      {`Show ${command}`}
    </button>
  ))
  const isHidden = state.flags?.accountSync === false
  const problem = state.focus?.problem
  const isMissing = portfolio === undefined && isLive(state) && state.refusals.length > 0 && !isHidden && !problem
  const reason = isHidden
    ? ACCOUNTS_HIDDEN
    : problem && `hookline shows no figures of ${state.focus?.account}: ${problem}`
  return (
    <Panel
      id="portfolio"
      title="Portfolio"
      aside={portfolio && `${portfolio.account}, in ${portfolio.balance.currency}`}
    >
      <BalanceStrip balance={portfolio?.balance} />
      {isLive(state) && reason && portfolio === undefined && <Empty>{reason}</Empty>}
      {isLive(state) && problem && portfolio && <p className="warning" role="note">{`As last seen: ${problem}`}</p>}
      {isLive(state) && state.focus?.stale && !problem && portfolio && (
        <p className="warning" role="note">
          Stale: nothing has come from the exchange for too long. Fills may not be shown yet.
        </p>
      )}
      {portfolio === undefined && !isMissing && !(isLive(state) && reason) && (
        <Nothing what="Positions and orders" rows={4} />
      )}
      {isMissing && (
        <div className="on-demand">
          <p>This hookline does not stream its portfolio. Print it in the terminal:</p>
          {onDemand}
        </div>
      )}
      {portfolio && (
        <>
          <Positions rows={portfolio.positions} />
          <Orders portfolio={portfolio} />
        </>
      )}
    </Panel>
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

function Positions({ rows }: { readonly rows: Portfolio['positions'] }) {
  return (
    <section className="block" aria-label="Positions">
      <h3>
        Positions <span className="count">{rows.length}</span>
      </h3>
      {rows.length === 0 ? (
        <Empty>
          No open positions. <code>buy $250 BTCUSDT</code> in the terminal opens one.
        </Empty>
      ) : (
        <DataTable label="Open positions" columns={POSITION_COLUMNS}>
          {rows.map((row) => (
            <tr key={row.symbol}>
              <th scope="row">{row.symbol}</th>
              <td className={SIDE_TONE.get(row.side)}>{row.side}</td>
              <td className="figure">{showFigure(row.amount)}</td>
              <ProfitCell figure={row.unrealizedPnl} />
              <td className="figure">{showMoney(row.notional)}</td>
              <td className="figure">{showAverage(row.entryPrice, row.markPrice ?? row.entryPrice)}</td>
              <td className="figure">{row.markPrice === undefined ? '–' : showFigure(row.markPrice)}</td>
              <ProfitCell figure={row.realizedPnl} />
            </tr>
          ))}
        </DataTable>
      )}
    </section>
  )
}

/** A dash for what the venue does not say. */
function ProfitCell({ figure }: { readonly figure: string | undefined }) {
  if (figure === undefined) return <td className="figure">–</td>
  return <td className={`figure ${toneOf(figure)}`}>{showSignedMoney(figure)}</td>
}

function Orders({ portfolio }: { readonly portfolio: Portfolio }) {
  const rows = portfolio.orders
  const now = Date.now()
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
        <DataTable label="Resting orders" columns={ORDER_COLUMNS}>
          {rows.map((row) => (
            <OrderRow key={row.id} order={row} portfolio={portfolio} now={now} />
          ))}
        </DataTable>
      )}
    </section>
  )
}

interface OrderRowProps {
  readonly order: Order
  readonly portfolio: Portfolio
  readonly now: number
}

function OrderRow({ order, portfolio, now }: OrderRowProps) {
  const console = useConsole()
  const confirm = useConfirm()
  const state = useConsoleState()
  const noCommands = whyNoCommands(state)
  const warning = cancelWarning(order, portfolio)
  const price = order.triggerPrice ?? order.price
  const flags = [order.reduceOnly ? 'reduce' : '', order.postOnly ? 'post' : ''].filter(Boolean).join(' ')
  const described = `${order.type} ${order.side} ${showFigure(order.amount)} ${order.symbol}${price ? ` at ${showFigure(price)}` : ''}`
  const cancel = async () => {
    const isSure = await confirm({
      title: 'Cancel this order?',
      body: (
        <>
          <p>{described}</p>
          {warning && <p>{warning}</p>}
        </>
      ),
      yes: 'Cancel the order',
      no: 'Keep it',
      isDestructive: true,
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure) await console.runFromPanel(`cancel ${order.id}`, portfolio)
  }
  return (
    <tr>
      <th scope="row">{order.symbol}</th>
      <td className={SIDE_TONE.get(order.side)}>{order.side}</td>
      <td>{order.type}</td>
      <td className="figure">{showFigure(order.amount)}</td>
      <td className="figure">{price === undefined ? '' : showFigure(price)}</td>
      <td className="figure">{showFigure(order.filled)}</td>
      <td className="muted">{flags}</td>
      <td className="muted nowrap">{showTime(order.timestamp, now)}</td>
      <td className="row-actions">
        <button
          type="button"
          className="button small"
          disabled={!isLive(state) || noCommands !== undefined}
          title={noCommands}
          aria-label={`Cancel order ${order.id}: ${described}`}
          onClick={() => void cancel()}
        >
          Cancel
        </button>
      </td>
    </tr>
  )
}
