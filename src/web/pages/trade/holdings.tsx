// Under chart and book: what the account holds, what rests, what filled, what ran, what is under way. The tab and the filter are kept in the address.
import { memo, type ReactNode, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { ColumnMenu, useRoom } from '../../components/column-choice.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { isFresh, shownPrice } from '../../console-state.ts'
import { useDesk, useDeskParts } from '../../use-console.ts'
import { AccountNotes, BalanceStrip } from './account-notes.tsx'
import { FILL_COLUMNS } from './fill-columns.tsx'
import { FillsTable } from './fills-table.tsx'
import { type Held, HeldContext, LastPricesContext, useHeld } from './holdings-context.ts'
import { CancelAll, CloseAll, SymbolFilter } from './holdings-tools.tsx'
import { marketSteps } from './market-steps.ts'
import { useOrderColumns } from './order-columns.tsx'
import { OrdersTable } from './orders-table.tsx'
import { POSITION_COLUMNS } from './position-columns.tsx'
import { PositionsTable } from './positions-table.tsx'
import { RUN_COLUMNS, RunsTable } from './runs-table.tsx'
import { TasksPane } from './tasks-pane.tsx'
import { useFills } from './use-fills.ts'
import { useLiveRuns } from './use-live-runs.ts'
import { useTabPortfolio, useTabScope } from './use-market.ts'
import './holdings.css'

const TABS = ['positions', 'orders', 'fills', 'runs', 'tasks'] as const
type TabId = (typeof TABS)[number]

const NOTHING: readonly never[] = []

/** What the address asks for. */
function useShown() {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const query = new URLSearchParams(search)
  const put = (name: string, value: string | undefined) => {
    const next = new URLSearchParams(search)
    if (value === undefined) next.delete(name)
    else next.set(name, value)
    navigate(`${path}?${next}`, { replace: true })
  }
  return {
    tab: TABS.find((tab) => tab === query.get('tab')) ?? ('positions' as const),
    isOfSymbol: query.get('of') === 'symbol',
    showTab: (tab: TabId) => put('tab', tab),
    filter: (isOn: boolean) => put('of', isOn ? 'symbol' : undefined),
  }
}

export default function Holdings() {
  const { symbol = '' } = useTabScope() ?? {}
  return (
    <LastPricesContext value={useMarks(symbol)}>
      <HoldingsPane />
    </LastPricesContext>
  )
}

// Drawn anew by what it shows itself, and not by each price.
const HoldingsPane = memo(function HoldingsPane() {
  const { tab, isOfSymbol, showTab, filter } = useShown()
  const held = useHoldings(isOfSymbol)
  const room = useRoom()
  const isStale = useDesk((state) => !isFresh(state, 'state:portfolio'))
  const { symbol } = held.scope
  const tools = <SymbolFilter symbol={symbol} isOn={isOfSymbol} onFilter={filter} />
  const Body = PANELS[tab]
  return (
    <HeldContext value={held}>
      <section className="holdings pane" aria-label="Portfolio" data-stale={isStale}>
        <div className="holdings-head">
          <HoldingsTabs shown={tab} onShow={showTab} />
          {isStale && held.portfolio !== undefined && <span className="tag">as last seen</span>}
          <HoldingsTools tab={tab} room={room} filter={tools} />
        </div>
        <div
          className="holdings-body"
          role="tabpanel"
          id={`tabpanel-${tab}`}
          aria-labelledby={`tab-${tab}`}
          tabIndex={-1}
          data-region="Portfolio"
        >
          <Body room={room} isOfSymbol={isOfSymbol} />
        </div>
      </section>
    </HeldContext>
  )
})

/** What the account holds, of one symbol where the filter says so; lines run on that account. */
function useHoldings(isOfSymbol: boolean): Held {
  const whole = useTabPortfolio()
  const fills = useFills()
  const tabScope = useTabScope()
  const account = whole?.account ?? tabScope?.account ?? ''
  const symbol = tabScope?.symbol ?? whole?.symbol ?? ''
  const steps = useMemo(() => marketSteps(whole, fills), [whole, fills])
  return useMemo(() => {
    const isShown = (row: { readonly symbol: string }) => !isOfSymbol || row.symbol === symbol
    const portfolio = whole && {
      ...whole,
      positions: whole.positions.filter(isShown),
      orders: whole.orders.filter(isShown),
    }
    return { portfolio, scope: { account, symbol }, steps }
  }, [whole, isOfSymbol, account, symbol, steps])
}

/** As the venue marks what is held; of the symbol of this tab, as it was last traded. */
function useMarks(symbol: string): ReadonlyMap<string, string> {
  const whole = useTabPortfolio()
  const price = shownPrice(useDeskParts('focus', 'portfolio', 'chosen', 'tabPortfolio', 'market'))?.last
  return useMemo(() => {
    const marks = (whole?.positions ?? []).flatMap((row) =>
      row.markPrice === undefined ? [] : [[row.symbol, row.markPrice] as const],
    )
    const last = new Map(marks)
    if (whole !== undefined) last.set(whole.symbol, whole.last)
    if (price !== undefined) last.set(symbol, price)
    return last
  }, [whole, price, symbol])
}

function HoldingsTabs({ shown, onShow }: { readonly shown: TabId; readonly onShow: (tab: TabId) => void }) {
  const whole = useTabPortfolio()
  const fills = useFills()?.length
  const runs = useLiveRuns()?.length
  const running = useDesk(({ tasks }) => tasks?.filter(({ status }) => status === 'running').length)
  const tabs: readonly Tab<TabId>[] = [
    { id: 'positions', title: 'Positions', count: whole?.positions.length },
    { id: 'orders', title: 'Orders', count: whole?.orders.length },
    { id: 'fills', title: 'Fills', count: fills },
    { id: 'runs', title: 'Runs', count: runs },
    { id: 'tasks', title: 'Tasks', count: running },
  ]
  return <Tabs label="What the account holds and does" tabs={tabs} shown={shown} onShow={onShow} />
}

interface ToolsProps {
  readonly tab: TabId
  readonly room: number
  readonly filter: ReactNode
}

function HoldingsTools({ tab, room, filter }: ToolsProps) {
  const count = useTabPortfolio()?.positions.length ?? 0
  const orderColumns = useOrderColumns()
  if (tab === 'tasks') return null
  return (
    <div className="holdings-tools">
      {tab !== 'runs' && filter}
      {tab === 'positions' && <ColumnMenu table="positions" columns={POSITION_COLUMNS} room={room} />}
      {tab === 'orders' && <ColumnMenu table="orders" columns={orderColumns} room={room} />}
      {tab === 'fills' && <ColumnMenu table="fills" columns={FILL_COLUMNS} room={room} />}
      {tab === 'runs' && <ColumnMenu table="runs" columns={RUN_COLUMNS} room={room} />}
      {tab === 'positions' && <CloseAll count={count} />}
      {tab === 'orders' && <CancelAll />}
    </div>
  )
}

interface PanelProps {
  readonly room: number
  readonly isOfSymbol: boolean
}

const PANELS = { positions: Positions, orders: Orders, fills: Fills, runs: Runs, tasks: TasksPane }

function Positions({ room }: PanelProps) {
  const { portfolio } = useHeld()
  return (
    <>
      <AccountNotes portfolio={portfolio}>
        <PositionsTable rows={portfolio?.positions ?? NOTHING} room={room} />
      </AccountNotes>
      <BalanceStrip portfolio={portfolio} />
    </>
  )
}

function Orders({ room }: PanelProps) {
  const { portfolio } = useHeld()
  const columns = useOrderColumns()
  return (
    <AccountNotes portfolio={portfolio}>
      <OrdersTable rows={portfolio?.orders ?? NOTHING} columns={columns} room={room} />
    </AccountNotes>
  )
}

function Fills({ room, isOfSymbol }: PanelProps) {
  const fills = useFills()
  const { symbol } = useHeld().scope
  const rows = useMemo(
    () => (isOfSymbol ? fills?.filter((fill) => fill.symbol === symbol) : fills),
    [fills, isOfSymbol, symbol],
  )
  return <FillsTable rows={rows} room={room} />
}

function Runs({ room }: PanelProps) {
  return <RunsTable rows={useLiveRuns()} room={room} />
}
