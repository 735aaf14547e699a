// The book: price, size, running sum. A click puts a price into the ticket, and never sends.
import { useMemo, useRef } from 'react'
import { Empty } from '../../components/empty.tsx'
import { Price } from '../../components/figure.tsx'
import { Skeleton } from '../../components/pane.tsx'
import { useRoving } from '../../components/roving.ts'
import { showPrice } from '../../figures.ts'
import { type BookLevel, bookLevels } from './book-rows.ts'
import { editTicket } from './ticket/ticket-store.ts'
import { useMarket, useTabPortfolio } from './use-market.ts'

const LEVELS = 10

export function BookPane() {
  const { view, isStale, refusal } = useMarket()
  const portfolio = useTabPortfolio()
  const book = view?.book
  const prices = useRef<HTMLElement>(null)
  const roving = useRoving(prices, '.book-level')
  const levels = useMemo(() => book && bookLevels(book, LEVELS), [book])
  const own = new Set(portfolio?.orders.filter(({ symbol }) => symbol === view?.symbol).map(({ price }) => price))
  const tick = view?.market?.tick ?? view?.ticker?.last ?? '0.1'
  const row = (side: 'bid' | 'ask') => (level: BookLevel) => (
    <Level key={level.price} level={level} side={side} tick={tick} isOwn={own.has(level.price)} />
  )
  return (
    <section className="pane book-pane" aria-label="Book" data-region="Book" tabIndex={-1} data-stale={isStale}>
      <header className="pane-head book-head">
        <span>Price</span>
        <span>{view?.market?.amountUnit === 'quote' ? view.market.quote : (view?.market?.base ?? 'Amount')}</span>
        <span>Sum</span>
      </header>
      {levels === undefined && (refusal === undefined ? <Skeleton rows={8} /> : <Empty>No prices.</Empty>)}
      {levels && (
        <section className="book" aria-label="Prices" ref={prices} {...roving}>
          <ul aria-label="Asks">{levels.asks.map(row('ask')).reverse()}</ul>
          <p className="book-last">{view?.ticker && <Price text={view.ticker.last} like={tick} isStale={isStale} />}</p>
          <ul aria-label="Bids">{levels.bids.map(row('bid'))}</ul>
        </section>
      )}
    </section>
  )
}

interface LevelProps {
  readonly level: BookLevel
  readonly side: 'bid' | 'ask'
  readonly tick: string
  readonly isOwn: boolean
}

function Level({ level: { price, amount, sum, share }, side, tick, isOwn }: LevelProps) {
  return (
    <li>
      <button
        type="button"
        className={`book-level ${side}`}
        data-own={isOwn}
        tabIndex={-1}
        title="Put the price into the ticket"
        onClick={() => editTicket({ kind: 'limit', price })}
      >
        <span className="book-share" style={{ width: `${share * 100}%` }} />
        <span className="figure">{showPrice(price, tick)}</span> <span className="figure">{amount}</span>{' '}
        <span className="figure">{sum}</span>
        {isOwn && <span className="visually-hidden">, your order</span>}
      </button>
    </li>
  )
}
