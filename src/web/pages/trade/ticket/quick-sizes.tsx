// Sizes by one click: shares of what is free or held, and the sizes that were used last.
import { useRef } from 'react'
import { useRoving } from '../../../components/roving.ts'
import { showFigure } from '../../../figures.ts'
import { useMarket } from '../use-market.ts'
import { QUICK_SHARES, useLastSizes } from './last-sizes.ts'
import type { SizeUnit } from './ticket.ts'
import { editTicket, useTicket } from './ticket-store.ts'

export function QuickSizes() {
  const list = useRef<HTMLFieldSetElement>(null)
  const roving = useRoving(list, 'button')
  const { sizes } = useLastSizes()
  const base = useMarket().view?.market?.base ?? ''
  const isOfHeld = useTicket((state) => state.reduceOnly || (state.kind === 'stop' && state.aim === 'protect'))
  const isShown = useTicket(({ size, unit }) => `${size} ${unit}`)
  const of = isOfHeld ? 'of the position' : 'of what is free'
  const choose = (size: string, unit: SizeUnit) => editTicket({ size, unit })
  return (
    <fieldset className="quick-sizes" aria-label="Quick sizes" ref={list} {...roving}>
      {QUICK_SHARES.map((share) => (
        <button
          key={share}
          type="button"
          aria-label={`${share} % ${of}`}
          title={`${share} % ${of}`}
          aria-pressed={isShown === `${share} percent`}
          onClick={() => choose(share, 'percent')}
        >
          {share} %
        </button>
      ))}
      {sizes.map(({ size, unit }) => (
        <button
          key={`${size} ${unit}`}
          type="button"
          title="Used lately"
          aria-label={`${sizeName(size, unit, base)}, used lately`}
          aria-pressed={isShown === `${size} ${unit}`}
          onClick={() => choose(size, unit)}
        >
          {sizeName(size, unit, base)}
        </button>
      ))}
    </fieldset>
  )
}

function sizeName(size: string, unit: SizeUnit, base: string): string {
  const figure = showFigure(size)
  return { quote: `$${figure}`, base: `${figure} ${base}`, percent: `${figure} %` }[unit]
}
