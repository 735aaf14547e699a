// The limits of a hook, and what is left of them.
import type { HookRow } from '../../../protocol/frames.ts'
import type { HookLeft } from './hook-order.ts'
import { careRows, type TermRow, termRows } from './hook-terms.ts'

export interface HookLimitsProps {
  readonly hook: HookRow
  readonly left: HookLeft | undefined
  /** When it was told. */
  readonly at: number
}

export function HookLimits({ hook, left, at }: HookLimitsProps) {
  const own = termRows(hook, left, at)
  return (
    <>
      {own.length === 0 && <p className="muted">No limits of its own: every fire runs.</p>}
      <dl className="hook-limits">
        {[...own, ...careRows(hook)].map((row) => (
          <Term key={row.title} {...row} />
        ))}
      </dl>
    </>
  )
}

function Term({ title, value, aside }: TermRow) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span>{value}</span> {aside !== undefined && <span className="muted">{aside}</span>}
      </dd>
    </div>
  )
}
