// The header's price: what the symbol of this tab was last traded at, which way it went, and where that is in the last 24 hours.
import { useRef } from 'react'
import { Price } from '../components/figure.tsx'
import { isFresh, shownPrice } from '../console-state.ts'
import { changeOf, placeBetween } from '../exact.ts'
import { compareFigures, showPrice, toneOf } from '../figures.ts'
import { useDesk, useDeskParts } from '../use-console.ts'

export function useIsOld(): boolean {
  return useDesk(
    (state) => !isFresh(state, 'state:portfolio') || state.focus?.stale === true || state.focus?.problem !== undefined,
  )
}

/** Of the symbol that this tab shows; nothing where hookline does not say it. */
export function PricePart() {
  const price = shownPrice(useDeskParts('focus', 'portfolio', 'chosen', 'tabPortfolio', 'market'))
  const tick = useDesk(({ market }) => market?.market?.tick)
  const isOld = useIsOld()
  const turn = useTurn(price?.last)
  const isStale = isOld || price?.isStale === true
  return (
    <div className="price-block">
      {price && (
        <p className="price">
          <span className="visually-hidden">Last price </span>
          {/* A new element for each turn: its colour begins anew. */}
          <span key={turn.count} className="price-turn" data-turn={isStale ? undefined : turn.way}>
            <Price text={price.last} like={tick ?? price.last} isStale={isStale} />
          </span>
        </p>
      )}
      {price && <Day last={price.last} tick={tick ?? price.last} />}
    </div>
  )
}

interface Turn {
  readonly last: string | undefined
  readonly way: 'up' | 'down' | undefined
  readonly count: number
}

/** Which way the price went when it last changed. */
function useTurn(last: string | undefined): Turn {
  const turn = useRef<Turn>({ last, way: undefined, count: 0 })
  const { last: before, count } = turn.current
  if (last !== before) {
    const order = last === undefined || before === undefined ? 0 : compareFigures(last, before)
    turn.current = { last, way: order === 0 ? undefined : order > 0 ? 'up' : 'down', count: count + 1 }
  }
  return turn.current
}

const TITLE = 'In the last 24 hours'

function Day({ last, tick }: { readonly last: string; readonly tick: string }) {
  const market = useDesk((state) => state.market)
  const day = market?.ticker?.last === last ? market.day : undefined
  const change = changeOf(day?.open, last)
  if (day === undefined || change === undefined) return null
  const tone = toneOf(change)
  const [low, high] = [showPrice(day.low, tick), showPrice(day.high, tick)]
  const sign = tone === 'gain' ? '+' : tone === 'loss' ? '−' : ''
  return (
    <dl className="day" title={`${TITLE}: ${low} to ${high}`}>
      <div className={`day-change ${tone}`}>
        <dt className="visually-hidden">{TITLE}</dt>
        <dd className="figure">{`${sign}${change.replace('-', '')} %`}</dd>
      </div>
      <div className="day-range">
        <dt className="visually-hidden">Lowest, highest</dt>
        <dd className="figure">{low}</dd>
        <dd className="day-bar" aria-hidden="true">
          <span style={{ left: `${placeBetween(day.low, day.high, last) * 100}%` }} />
        </dd>
        <dd className="figure">{high}</dd>
      </div>
    </dl>
  )
}
