// Trade: the market of this tab's symbol, the ticket, what the account holds, and the work that is under way.
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Skeleton } from '../../components/pane.tsx'
import { toast } from '../../components/toasts.tsx'
import { whyNoCommands } from '../../state/console-state.ts'
import { type TradeAction, useDeskStore } from '../../state/desk-store.ts'
import { NARROW, useDesk, useMedia } from '../../state/use-console.ts'
import { ChartPane } from './chart-pane.tsx'
import { FillsContext, useFollowedFills } from './fills.ts'
import { useLineQuestion } from './line-button.tsx'
import { closeLine } from './position-lines.ts'
import { closeTicket, editTicket, openTicket, useTicket } from './ticket/ticket.ts'
import { MarketContext, useTabPortfolio, useTabScope, useWatchedMarket } from './use-market.ts'
import './trade.css'

const BookPane = lazy(() => import('./book-pane.tsx'))
const FirstTrade = lazy(async () => ({ default: (await import('./first-trade.tsx')).FirstTrade }))
const Holdings = lazy(() => import('./holdings.tsx'))
// Asked for with the page, not after it; narrow windows have no edges to move.
const loadPanes = () => import('./trade-panes.tsx')
const TradePanes = lazy(loadPanes)
if (matchMedia('(min-width: 800px)').matches) void loadPanes()

export function TradePage() {
  const market = useWatchedMarket()
  const isNarrow = useMedia(NARROW)
  const fills = useFollowedFills(useTabScope()?.account)
  const holdings = (
    <Suspense fallback={<Skeleton rows={4} />}>
      <Holdings />
    </Suspense>
  )
  return (
    <MarketContext value={market}>
      <FillsContext value={fills}>
        <div className="scrolls relative page page-trade">
          <TradeKeys />
          <Suspense>
            <FirstTrade />
          </Suspense>
          {isNarrow ? (
            <>
              <ChartPane />
              <TicketSheet />
              {holdings}
            </>
          ) : (
            <Suspense fallback={<Skeleton rows={6} />}>
              <TradePanes chart={<ChartPane />} book={<Book />} ticket={<TicketPane />} holdings={holdings} />
            </Suspense>
          )}
        </div>
      </FillsContext>
    </MarketContext>
  )
}

function Book() {
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <BookPane />
    </Suspense>
  )
}

// Single letters on Trade fill in the ticket, or show the line that closes the position of this tab's symbol. None of them sends.

export function TradeKeys() {
  const act = useTradeActions()
  const newest = useRef(act)
  useEffect(() => {
    newest.current = act
  })
  useEffect(() => {
    // A key pressed before the page was shown is not for it.
    const stop = useDeskStore.subscribe(({ tradeKey }, before) => {
      if (tradeKey !== undefined && tradeKey !== before.tradeKey) newest.current(tradeKey)
    })
    return () => {
      stop()
      useDeskStore.setState({ tradeKey: undefined })
    }
  }, [])
  return null
}

function useTradeActions(): (action: TradeAction) => void {
  const ask = useLineQuestion()
  const scope = useTabScope()
  const portfolio = useTabPortfolio()
  const isNarrow = useMedia(NARROW)
  return (action) => {
    if (action.kind === 'ticket-side') {
      if (isNarrow) return openTicket(action.side)
      editTicket({ side: action.side })
      return focusTicket()
    }
    if (action.kind === 'ticket-focus') return isNarrow ? openTicket() : focusSize()
    if (action.kind === 'ticket-kind') {
      editTicket({ kind: action.order })
      return focusTicket()
    }
    if (action.kind === 'ticket-size')
      return void import('./ticket/quick-sizes.ts').then(({ chooseOwnSize }) => {
        if (chooseOwnSize(action.at)) focusTicket()
      })
    const position = portfolio?.positions.find(({ symbol }) => symbol === scope?.symbol)
    if (scope === undefined || position === undefined || portfolio?.account !== scope.account)
      return toast({ tone: 'warn', text: `There is no position in ${scope?.symbol ?? 'this symbol'} to close.` })
    const name = `Close the ${position.side} in ${position.symbol}`
    void ask({
      name,
      line: closeLine(position),
      scope,
      isYesFirst: true,
    })
  }
}

/** The fields of a line that they do not show take no focus. The old size is chosen: what is typed next takes its place. */
function focusSize(): void {
  if (!useTicket.getState().isFollowed) return document.getElementById('ticket-line')?.focus()
  const size = document.getElementById('ticket-size')
  if (!(size instanceof HTMLInputElement)) return
  size.focus()
  size.select()
}

/** Not one of its fields, where the next letter would be text: Enter sends from here as from a field. */
function focusTicket(): void {
  document.getElementById('order-form')?.focus()
}

// The ticket's place in a wide window. The form brings the grammar along, and is a chunk of its own.

const loadForm = () => import('./ticket/ticket-form.tsx')
const TicketForm = lazy(loadForm)

export function TicketPane() {
  return (
    <section
      className="scrolls boxed round surface stack pane ticket-pane"
      aria-label="Ticket"
      data-region="Ticket"
      tabIndex={-1}
    >
      <Suspense fallback={<Skeleton rows={8} />}>
        <TicketForm />
      </Suspense>
    </section>
  )
}

// The ticket in a narrow window: two buttons at the foot, and a sheet behind them.

export function TicketSheet() {
  const isOpen = useTicket((state) => state.isOpen)
  const why = useDesk((state) => (state.flags?.panic === undefined ? undefined : whyNoCommands(state)))
  // A sheet that grows as its form comes moves its buttons away from the finger. Where it does not come, the sheet says so.
  useEffect(() => void loadForm().catch(() => {}), [])
  return (
    <section className="surface row ticket-bar" aria-label="Trade">
      {(['buy', 'sell'] as const).map((side) => (
        <button
          key={side}
          type="button"
          className={`full button run ${side}`}
          disabled={why !== undefined}
          title={why}
          onClick={() => openTicket(side)}
        >
          {side === 'buy' ? 'Buy' : 'Sell'}
        </button>
      ))}
      {isOpen && (
        <Dialog title="Ticket" className="sheet" onClose={closeTicket}>
          <button type="button" className="button small sheet-close" onClick={closeTicket}>
            Close
          </button>
          <Suspense fallback={<Skeleton rows={8} />}>
            <TicketForm />
          </Suspense>
        </Dialog>
      )}
    </section>
  )
}
