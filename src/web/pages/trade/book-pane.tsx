// The book: price, size, running sum; or the tape: what others trade. A click puts a price into the ticket, and never sends.
import { useMemo, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
import { defined } from '../../../base/defined.ts'
import type { TapeRow } from '../../../protocol/frames.ts'
import { WIRE_LIMITS } from '../../../protocol/wire-limits.ts'
import { useRoving } from '../../components/arrow-keys.ts'
import { Price } from '../../components/figure.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty, Skeleton } from '../../components/pane.tsx'
import { Card, usePopover } from '../../components/popover.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { restOf, showClock, showFigure, showPrice } from '../../figures.ts'
import {
  type BookLevel,
  bookLevels,
  bookNow,
  type OwnOrder,
  ownRows,
  STEP_TIMES,
  type StepTimes,
  stepOf,
  tapeRows,
} from './book-rows.ts'
import { usePriceMenu } from './price-menu.tsx'
import { editTicket } from './ticket/ticket.ts'
import { DEPTHS, type MarketView, useBookView, useDepth, useMarket, useTabPortfolio } from './use-market.ts'
import './book.css'

export default function BookPane() {
  const { view, isStale, refusal, unlisted } = useMarket()
  const [times, setTimes] = useStepTimes()
  const [shown, show] = useBookView()
  const tick = view?.market?.tick
  const isTape = shown === 'tape'
  return (
    <section
      className="boxed round surface stack pane book-pane"
      aria-label="Book"
      data-region="Book"
      tabIndex={-1}
      data-stale={isStale}
    >
      <header className="ruled rigid row pane-head">
        <Tabs label="Book and tape" tabs={VIEWS} shown={shown} onShow={show} />
        <span className="fill muted pane-aside" />
        {tick !== undefined && !isTape && <RowChoices tick={tick} times={times} onChoose={setTimes} />}
      </header>
      <div className="gap-0 rigid text-1 grid muted book-head" aria-hidden="true">
        <span className="at-start">Price</span>
        <span>{view?.market?.amountUnit === 'quote' ? view.market.quote : (view?.market?.base ?? 'Amount')}</span>
        <span>{isTape ? 'Time' : 'Sum'}</span>
      </div>
      <div
        className="clips fill stack"
        id={`tabpanel-${shown}`}
        role="tabpanel"
        aria-labelledby={`tab-${shown}`}
        tabIndex={-1}
      >
        {view?.book === undefined &&
          (refusal === undefined && unlisted === undefined && view?.staleSince === undefined ? (
            <Skeleton rows={8} />
          ) : (
            <Empty>No prices.</Empty>
          ))}
        {view?.book && !isTape && (
          <Book view={view} book={bookNow(view.book, view.ticker)} times={times} isStale={isStale} />
        )}
        {view?.book && isTape && <Tape tape={view.tape ?? []} tick={tick} />}
      </div>
    </section>
  )
}

const VIEWS = [
  { id: 'levels', title: 'Book' },
  { id: 'tape', title: 'Tape' },
] as const

interface TapeProps {
  readonly tape: readonly TapeRow[]
  readonly tick: string | undefined
}

/** The newest first. */
function Tape({ tape, tick }: TapeProps) {
  if (tape.length === 0) return <Empty>No trades yet.</Empty>
  return (
    <ul className="scrolls fill" aria-label="Trades of the market">
      {tapeRows(tape).map(({ key, at, price, amount, side }) => (
        <li key={key} className={`gap-2 relative text-2 grid book-level ${side === 'buy' ? 'bid' : 'ask'}`}>
          <span className="visually-hidden">{side === 'buy' ? 'bought' : 'sold'} </span>
          <span className="at-start figure">{showPrice(price, tick ?? price)}</span>{' '}
          <span className="figure">{amount}</span> <span className="text-1 figure muted">{showClock(at)}</span>
        </li>
      ))}
    </ul>
  )
}

/** Kept in the address. */
function useStepTimes(): [StepTimes, (times: StepTimes) => void] {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const asked = Number(new URLSearchParams(search).get('step'))
  const choose = (times: StepTimes) => {
    const query = new URLSearchParams(search)
    query.set('step', String(times))
    navigate(`${path}?${query}`, { replace: true })
  }
  return [STEP_TIMES.find((times) => times === asked) ?? 1, choose]
}

interface StepChoiceProps {
  readonly tick: string
  readonly times: StepTimes
  readonly onChoose: (times: StepTimes) => void
}

/** Behind one button: the pane is narrow. */
function RowChoices({ tick, times, onChoose }: StepChoiceProps) {
  const popover = usePopover()
  const [depth, chooseDepth] = useDepth()
  const step = showFigure(stepOf(tick, times))
  return (
    <>
      <button
        type="button"
        className="button small numeric"
        aria-label={`Price step ${step}, ${depth} rows on each side`}
        title="Price step and depth"
        {...popover.button}
      >
        {step}
        <Icon name="chevron" size={12} />
      </button>
      <Card popover={popover} label="Price step and depth">
        <div className="gap-3 grid">
          <label className="spread row">
            Price step
            <select
              value={times}
              onChange={({ target }) => onChoose(STEP_TIMES.find((each) => each === Number(target.value)) ?? 1)}
            >
              {STEP_TIMES.map((each) => (
                <option key={each} value={each}>
                  {showFigure(stepOf(tick, each))}
                </option>
              ))}
            </select>
          </label>
          <label className="spread row">
            Rows on each side
            <select value={depth} onChange={({ target }) => chooseDepth(target.value)}>
              {DEPTHS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <p className="muted">Rows that do not fit are scrolled to.</p>
        </div>
      </Card>
    </>
  )
}

interface BookProps {
  readonly view: MarketView
  readonly book: NonNullable<MarketView['book']>
  readonly times: StepTimes
  readonly isStale: boolean
}

function Book({ view, book, times, isStale }: BookProps) {
  const prices = useRef<HTMLElement>(null)
  const roving = useRoving(prices, '.book-level')
  const tick = view.market?.tick
  const step = tick !== undefined && times > 1 ? stepOf(tick, times) : undefined
  const [depth] = useDepth()
  const levels = useMemo(
    () => bookLevels(book, { count: Number(depth), limit: WIRE_LIMITS.bookLevels, ...defined({ step }) }),
    [book, step, depth],
  )
  const orders = useOwnOrders(view.symbol)
  const own = useMemo(() => ownRows(levels, orders), [levels, orders])
  const like = tick ?? view.ticker?.last ?? '0.1'
  const menu = usePriceMenu({ element: prices, priceAt: pricePressed, view })
  const spread = restOf(book.asks[0]?.[0] ?? '', book.bids[0]?.[0])
  const row = (side: 'bid' | 'ask') => (level: BookLevel) => (
    <Level key={level.price} level={level} side={side} tick={like} own={own[side].get(level.price)} />
  )
  return (
    <section className="clips fill stack book" aria-label="Prices" ref={prices} {...roving}>
      <div className="scrolls fill stack book-side asks" tabIndex={-1}>
        <ul aria-label="Asks">{levels.asks.map(row('ask')).reverse()}</ul>
      </div>
      <p className="rigid baseline spread text-4 row book-last">
        {view.ticker && <Price text={view.ticker.last} like={like} isStale={isStale} />}
        {spread !== undefined && (
          <span className="text-1 muted">
            spread <span className="figure">{showPrice(spread, like)}</span>
          </span>
        )}
      </p>
      <div className="scrolls fill book-side" tabIndex={-1}>
        <ul aria-label="Bids">{levels.bids.map(row('bid'))}</ul>
      </div>
      {menu}
    </section>
  )
}

function pricePressed(_y: number, target: Element): string | undefined {
  return target.closest<HTMLElement>('.book-level')?.dataset.price
}

/** The own orders that are in the book; what waits for a trigger is not. */
function useOwnOrders(symbol: string): readonly OwnOrder[] {
  const orders = useTabPortfolio()?.orders
  return useMemo(
    () =>
      (orders ?? []).flatMap((order) =>
        order.symbol !== symbol || order.triggerPrice !== undefined || order.price === undefined
          ? []
          : [{ side: order.side === 'buy' ? 'bid' : 'ask', price: order.price } as const],
      ),
    [orders, symbol],
  )
}

interface LevelProps {
  readonly level: BookLevel
  readonly side: 'bid' | 'ask'
  readonly tick: string
  /** Prices of own orders in it. */
  readonly own: readonly string[] | undefined
}

function Level({ level: { price, amount, sum, share }, side, tick, own }: LevelProps) {
  const words =
    own && `${own.length === 1 ? 'your order' : 'your orders'} at ${own.map((at) => showPrice(at, tick)).join(', ')}`
  return (
    <li>
      <button
        type="button"
        className={`gap-0 relative full text-2 grid book-level ${side}`}
        data-own={own !== undefined}
        data-price={price}
        tabIndex={-1}
        title={words === undefined ? 'Put the price into the ticket' : `Put the price into the ticket; ${words}`}
        onClick={() => editTicket({ kind: 'limit', price })}
      >
        <span className="book-share" style={{ width: `${share * 100}%` }} />
        <span className="relative at-start figure">{showPrice(price, tick)}</span>{' '}
        <span className="relative figure">{amount}</span> <span className="relative figure">{sum}</span>
        <span className="visually-hidden">
          , {side}
          {words !== undefined && `, ${words}`}
        </span>
      </button>
    </li>
  )
}
