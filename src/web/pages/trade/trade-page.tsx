// Trade: the market of this tab's symbol, the ticket, what the account holds, and the work that is under way.

import { lazy, Suspense } from 'react'
import { Skeleton } from '../../components/pane.tsx'
import { useMedia } from '../../use-media.ts'
import { BookPane } from './book-pane.tsx'
import { ChartPane } from './chart-pane.tsx'
import { FirstTrade } from './first-trade.tsx'
import { TicketPane } from './ticket/ticket-pane.tsx'
import { TicketSheet } from './ticket/ticket-sheet.tsx'
import { TradeKeys } from './trade-keys.tsx'
import { FillsContext, useFollowedFills } from './use-fills.ts'
import { MarketContext, useTabScope, useWatchedMarket } from './use-market.ts'
import './book.css'
import './trade.css'

const Holdings = lazy(() => import('./holdings.tsx'))
// Asked for with the page, not after it; narrow windows have no edges to move.
const loadPanes = () => import('./trade-panes.tsx')
const TradePanes = lazy(loadPanes)
if (matchMedia('(min-width: 800px)').matches) void loadPanes()

export function TradePage() {
  const market = useWatchedMarket()
  const isNarrow = useMedia('(max-width: 799px)')
  const fills = useFollowedFills(useTabScope()?.account)
  const holdings = (
    <Suspense fallback={<Skeleton rows={4} />}>
      <Holdings />
    </Suspense>
  )
  return (
    <MarketContext value={market}>
      <FillsContext value={fills}>
        <div className="page page-trade">
          <TradeKeys />
          <FirstTrade />
          {isNarrow ? (
            <>
              <ChartPane />
              <BookPane />
              <TicketSheet />
              {holdings}
            </>
          ) : (
            <Suspense fallback={<Skeleton rows={6} />}>
              <TradePanes chart={<ChartPane />} book={<BookPane />} ticket={<TicketPane />} holdings={holdings} />
            </Suspense>
          )}
        </div>
      </FillsContext>
    </MarketContext>
  )
}
