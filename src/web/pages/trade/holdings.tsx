// Under chart and book: what the account holds, what rests, what filled, what ran, what is under way. The tab and the filter are kept in the address.
import { lazy, memo, type ReactNode, Suspense, useMemo, useRef } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Portfolio, RunRow } from '../../../protocol/frames.ts'
import { type ChoosableColumn, ColumnMenu, DataTable, useRoom, useShownColumns } from '../../components/data-table.tsx'
import { HeldButton } from '../../components/held-button.tsx'
import { StateBadge } from '../../components/icon.tsx'
import { Empty, Nothing, Skeleton } from '../../components/pane.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { showMoney, showTime } from '../../figures.ts'
import { broughtBy, outcomeOf, tookOf, useLiveRuns, whoRan } from '../../runs/use-runs.ts'
import { closeAllQuestion } from '../../shell/flatten.tsx'
import {
  ACCOUNTS_HIDDEN,
  type ConsoleState,
  isFresh,
  isLive,
  shownPrice,
  troubleOf,
  whyNoCommands,
} from '../../state/console-state.ts'
import { useConsole, useDesk, useDeskParts } from '../../state/use-console.ts'
import BookPane from './book-pane.tsx'
import { cancelAllWarnings } from './cancel-warning.ts'
import { useFills } from './fills.ts'
import { FILL_COLUMNS, FillsTable } from './fills-table.tsx'
import { type Held, HeldContext, LastPricesContext, marketSteps, useHeld } from './holdings-context.ts'
import { LineButton } from './line-button.tsx'
import { OrdersTable, useOrderColumns } from './orders-table.tsx'
import { CLOSE_ALL_LINE, cancelAllLine } from './position-lines.ts'
import { POSITION_COLUMNS, PositionsTable } from './positions-table.tsx'
import { TasksPane } from './tasks-pane.tsx'
import { useBookBeside, useTabPortfolio, useTabScope } from './use-market.ts'
import './holdings.css'

const TABS = ['positions', 'orders', 'fills', 'runs', 'tasks', 'book', 'history', 'watch'] as const
type TabId = (typeof TABS)[number]

const NOTHING: readonly never[] = []

/** The tab and the filter, from the address. */
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
  const { isOfSymbol, showTab, filter, ...shown } = useShown()
  const hasBook = !useBookBeside()
  const tab = shown.tab === 'book' && !hasBook ? 'positions' : shown.tab
  const held = useHoldings(isOfSymbol)
  const room = useRoom()
  const isGone = useDesk((state) => !isFresh(state, 'state:portfolio'))
  const isOld = useDesk((state) => troubleOf(state) !== undefined)
  const isStale = isGone || isOld
  const { symbol } = held.scope
  const tools = <SymbolFilter symbol={symbol} isOn={isOfSymbol} onFilter={filter} />
  const Body = PANELS[tab]
  return (
    <HeldContext value={held}>
      <section className="boxed round surface stack holdings pane" aria-label="Portfolio" data-stale={isStale}>
        <div className="ruled rigid row holdings-head">
          <HoldingsTabs shown={tab} hasBook={hasBook} onShow={showTab} />
          {isStale && held.portfolio !== undefined && (
            <span className="tag stale-tone">{isGone ? 'as last seen' : 'stale prices'}</span>
          )}
          <HoldingsTools tab={tab} room={room} filter={tools} />
        </div>
        <div
          className="scrolls fill stack holdings-body"
          role="tabpanel"
          id={`tabpanel-${tab}`}
          aria-labelledby={`tab-${tab}`}
          tabIndex={-1}
          data-region="Portfolio"
        >
          <Suspense fallback={<Skeleton rows={4} />}>
            <Body room={room} isOfSymbol={isOfSymbol} />
          </Suspense>
        </div>
      </section>
    </HeldContext>
  )
})

/** The portfolio of the account, of one symbol where the filter is on; lines run on that account. */
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

/** The venue's mark prices of positions; for the symbol of this tab, its last price. */
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

interface HoldingsTabsProps {
  readonly shown: TabId
  readonly hasBook: boolean
  readonly onShow: (tab: TabId) => void
}

function HoldingsTabs({ shown, hasBook, onShow }: HoldingsTabsProps) {
  const whole = useTabPortfolio()
  const fills = useFills()?.length
  const { account } = useHeld().scope
  const runs = useAccountRuns()?.length
  const running = useDesk(
    ({ tasks }) => tasks?.filter((task) => task.status === 'running' && task.account === account).length,
  )
  const tabs: readonly Tab<TabId>[] = [
    { id: 'positions', title: 'Positions', count: whole?.positions.length },
    { id: 'orders', title: 'Orders', count: whole?.orders.length },
    ...(hasBook ? [{ id: 'book', title: 'Book' } as const] : []),
    { id: 'fills', title: 'Fills', count: fills },
    { id: 'runs', title: 'Runs', count: runs },
    { id: 'tasks', title: 'Tasks', count: running },
    { id: 'history', title: 'History' },
    { id: 'watch', title: 'Watchlist' },
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
  if (tab === 'tasks' || tab === 'book' || tab === 'watch') return null
  return (
    <div className="rigid gap-2 row holdings-tools">
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

const PastOrders = lazy(() => import('./past-orders.tsx'))
const Watchlist = lazy(() => import('./watchlist.tsx'))

const PANELS = {
  positions: Positions,
  orders: Orders,
  fills: Fills,
  runs: Runs,
  tasks: TasksPane,
  book: BookPane,
  history: PastOrders,
  watch: Watchlist,
}

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
  return <RunsTable rows={useAccountRuns()} room={room} />
}

function useAccountRuns(): readonly RunRow[] | undefined {
  const { account } = useHeld().scope
  return useLiveRuns()?.filter((run) => isOfAccount(run, account))
}

/** Not every line runs on an account. */
export function isOfAccount(run: Pick<RunRow, 'account'>, account: string): boolean {
  return run.account === undefined || run.account === account
}

// Beside the tabs: of which symbol, which columns, and what ends all of it at once.

export interface SymbolFilterProps {
  readonly symbol: string
  readonly isOn: boolean
  readonly onFilter: (isOn: boolean) => void
}

export function SymbolFilter({ symbol, isOn, onFilter }: SymbolFilterProps) {
  return (
    <fieldset className="gap-1 row segments" aria-label="Symbols">
      <button type="button" aria-pressed={!isOn} onClick={() => onFilter(false)}>
        All
      </button>
      <button type="button" aria-pressed={isOn} title={symbol} onClick={() => onFilter(true)}>
        This symbol
      </button>
    </fieldset>
  )
}

/** Every position of the account, whatever the table shows. */
export function CloseAll({ count }: { readonly count: number }) {
  const console = useConsole()
  const line = useRef(CLOSE_ALL_LINE)
  const { scope } = useHeld()
  const noCommands = useDesk(whyNoCommands)
  return (
    <HeldButton
      className="button small"
      label={`Close all positions of ${scope.account}`}
      title={noCommands ?? `Hold to run: ${CLOSE_ALL_LINE}`}
      disabled={noCommands !== undefined || count === 0}
      // On the account that is shown, wherever the focus is by now.
      onHeld={() => void console.runFromPanel(CLOSE_ALL_LINE, scope)}
      onYes={() => void console.runFromPanel(line.current, scope)}
      question={closeAllQuestion(scope, line)}
    >
      Close all
    </HeldButton>
  )
}

/** Of the symbol of this tab, and of the account. */
export function CancelAll() {
  const { scope } = useHeld()
  // All of the account, whatever the table shows: that is what is canceled.
  const orders = useTabPortfolio()?.orders ?? NOTHING
  const hasOrders = (symbol: string | undefined) =>
    orders.some((order) => symbol === undefined || order.symbol === symbol)
  const symbols = scope.symbol === '' ? [undefined] : [scope.symbol, undefined]
  return symbols.map((symbol) => (
    <LineButton
      key={symbol ?? 'all'}
      title={symbol === undefined ? 'Cancel all' : `Cancel ${symbol}`}
      name={symbol === undefined ? `Cancel all orders of ${scope.account}` : `Cancel ${symbol} orders`}
      line={cancelAllLine(symbol)}
      scope={scope}
      disabled={!hasOrders(symbol)}
      warnings={(held) => cancelAllWarnings(symbol, held)}
    />
  ))
}

// Notes above the figures of an account: that they are old, or why there are none.

/** The tables, or why there are none. */
export function AccountNotes({
  portfolio,
  children,
}: {
  readonly portfolio: Portfolio | undefined
  readonly children: ReactNode
}) {
  const state = useDeskParts('portfolio', 'focus', 'chosen', 'flags', 'market')
  const isConnected = useDesk(isLive)
  const isRefused = useDesk(({ refusals }) => refusals.length > 0)
  const isHidden = state.flags?.accountSync === false
  const { problem, isStale } = troubleOf(state) ?? {}
  if (portfolio === undefined) {
    const reason = isConnected ? whyNoFigures(state) : undefined
    if (reason !== undefined) return <Empty>{reason}</Empty>
    if (isConnected && isRefused && !isHidden && !problem) return <OnDemand />
    return <Nothing what="Positions and orders" rows={4} />
  }
  return (
    <>
      {isConnected && problem && <p className="soft warning" role="note">{`As last seen: ${problem}`}</p>}
      {isConnected && isStale && !problem && (
        <p className="soft warning" role="note">
          The exchange has sent nothing for too long: fills may be missing here.
        </p>
      )}
      {portfolio.unsettled?.map((line) => (
        <p key={line} className="soft warning" role="note">
          {line.replaceAll('`', '')}
        </p>
      ))}
      {children}
    </>
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
  const noCommands = useDesk(whyNoCommands)
  return (
    <div className="inset gap-3 cluster muted on-demand">
      <p>This hookline does not stream its portfolio. Print it in the terminal:</p>
      {['balance', 'positions', 'orders'].map((command) => (
        <button
          key={command}
          type="button"
          className="button small"
          disabled={noCommands !== undefined}
          title={noCommands}
          onClick={() => void console.runFromPanel(command)}
        >
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

export function BalanceStrip({ portfolio }: { readonly portfolio: Portfolio | undefined }) {
  const balance = portfolio?.balance
  return (
    <div className="text-2 baseline cluster holdings-balance">
      <dl className="cluster">
        {FIGURES.map(([key, title]) => (
          <div key={key} className="baseline row">
            <dt className="text-1">{title}</dt>
            <dd className="figure">{balance ? showMoney(balance[key]) : '–'}</dd>
          </div>
        ))}
      </dl>
      {portfolio && <p className="muted">{`${portfolio.account}, in ${portfolio.balance.currency}`}</p>}
    </div>
  )
}

// --- What runs now, and what has ended lately.

interface RunsTableProps {
  readonly rows: readonly RunRow[] | undefined
  readonly room: number
}

export function RunsTable({ rows, room }: RunsTableProps) {
  const columns = useShownColumns('runs', RUN_COLUMNS, room)
  if (rows === undefined) return <Nothing what="Runs" rows={3} />
  if (rows.length === 0) return <Empty>No recent runs.</Empty>
  return <DataTable label="Runs" columns={columns} rows={rows} keyOf={({ runId }) => runId} />
}

export const RUN_COLUMNS: readonly ChoosableColumn<RunRow>[] = [
  {
    id: 'time',
    title: 'Time',
    className: 'muted',
    cell: ({ startedAt }) => showTime(startedAt, Date.now()),
    compare: (a, b) => a.startedAt - b.startedAt,
  },
  {
    id: 'command',
    title: 'Line',
    isRowHead: true,
    className: 'wraps mono',
    cell: ({ command, runId }) => <Link href={`/journal/${runId}`}>{command}</Link>,
  },
  {
    id: 'source',
    title: 'From',
    cell: whoRan,
    compare: (a, b) => whoRan(a).localeCompare(whoRan(b)),
  },
  {
    id: 'state',
    title: 'State',
    cell: (run) => (
      <span title={broughtBy(run)?.text}>
        <StateBadge state={outcomeOf(run)} />
      </span>
    ),
    compare: (a, b) => outcomeOf(a).localeCompare(outcomeOf(b)),
  },
  {
    id: 'took',
    title: 'Took',
    isFigure: true,
    chars: 7,
    cell: (run) => tookOf(run) ?? '–',
    compare: (a, b) => lengthOf(a) - lengthOf(b),
  },
]

/** A run under way sorts as the longest. */
function lengthOf({ startedAt, finishedAt }: RunRow): number {
  return finishedAt === undefined ? Number.MAX_SAFE_INTEGER : finishedAt - startedAt
}
