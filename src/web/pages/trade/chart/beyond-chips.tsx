// Lines that are above or below what is in sight: said at the edge, with the price. One click brings them all in.
import { showPrice } from '../../../figures.ts'
import type { ChartLine } from './chart-lines.ts'
import type { Beyond } from './washes.ts'

interface BeyondChipsProps {
  readonly beyond: readonly Beyond[]
  readonly lines: readonly ChartLine[]
  readonly tick: string | undefined
  readonly onShow: () => void
}

/** At each edge; the rest is counted. */
const MAX_CHIPS = 3

export function BeyondChips({ beyond, lines, tick, onShow }: BeyondChipsProps) {
  return (['above', 'below'] as const).map((where) => {
    const there = beyond.filter((each) => each.where === where)
    const known = there.flatMap(({ id }) => lines.filter((line) => line.id === id))
    if (known.length === 0) return null
    const left = known.length - MAX_CHIPS
    return (
      <div key={where} className="beyond" data-where={where}>
        {known.slice(0, MAX_CHIPS).map(({ id, label, price }) => (
          <button
            key={id}
            type="button"
            title={`It is ${where} what is in sight. Show it`}
            aria-label={`${label} at ${showPrice(price, tick ?? price)}, ${where} what is in sight: show it`}
            onClick={onShow}
          >
            {where === 'above' ? '↑' : '↓'} {label} {showPrice(price, tick ?? price)}
          </button>
        ))}
        {left > 0 && <span className="muted">and {left} more</span>}
      </div>
    )
  })
}
