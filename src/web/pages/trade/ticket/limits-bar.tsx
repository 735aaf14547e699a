// How much of the account's limits the line would use up. The figures are the guard's own; only the width of the bar is worked out here.
import type { PreviewLimit } from '../../../../protocol/preview.ts'
import { compareFigures, showFigure, showMoney } from '../../../figures.ts'

const NAMES: ReadonlyMap<string, readonly [name: string, says: string]> = new Map([
  ['order', ['Order', 'the value of one order']],
  ['position', ['Position', 'the value of the position, with all that may add to it']],
  ['day', ['Day', 'the value of all orders since 00:00 UTC']],
  ['loss', ['Loss', 'what was lost since 00:00 UTC']],
  ['rate', ['Rate', 'orders in a minute']],
])

export function LimitsBar({ limits }: { readonly limits: readonly PreviewLimit[] }) {
  return (
    <section className="limits" aria-label="Limits">
      {limits.map((limit) => (
        <Limit key={`${limit.account} ${limit.limit}`} limit={limit} />
      ))}
    </section>
  )
}

function Limit({ limit: { limit, max, before, after } }: { readonly limit: PreviewLimit }) {
  const show = (figure: string) =>
    limit === 'rate' ? showFigure(figure) : `$${showMoney(figure).replace(/\.00$/, '')}`
  const used = after ?? before ?? '0'
  const isOver = compareFigures(used, max) > 0
  const share = shareOf(used, max)
  const state = isOver ? 'over' : share > 0.8 ? 'near' : 'within'
  const [name, means] = NAMES.get(limit) ?? [limit, undefined]
  const says = `${show(used)} of ${show(max)}${isOver ? ', over the limit' : ''}`
  return (
    <div className="limit" data-state={state} title={means}>
      <span>{name}</span>
      <span className="limit-figures">{says}</span>
      <span className="limit-bar" aria-hidden="true">
        <span className="limit-used" style={{ width: `${share * 100}%` }} />
        <span className="limit-before" style={{ width: `${shareOf(before ?? '0', max) * 100}%` }} />
      </span>
    </div>
  )
}

/** For the width of a bar: 0 to 1. */
function shareOf(used: string, max: string): number {
  const share = Number(used) / Number(max)
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 1
}
