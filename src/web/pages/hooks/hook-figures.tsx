// How the fires of a hook went: a bar and five figures.
import type { HookRow } from '../../../protocol/frames.ts'
import { Gain } from '../../components/figure.tsx'
import { scopeOf } from '../../console-state.ts'
import { useDesk } from '../../use-console.ts'
import { showSpan } from '../journal/run-words.ts'
import { HookDayBar } from './hook-day-bar.tsx'
import { dayWords, type HookDay } from './hook-order.ts'
import { PNL_DAYS, useHookPnl } from './use-hook-pnl.ts'

export interface HookFiguresProps {
  readonly hook: HookRow
  readonly day: HookDay | undefined
}

export function HookFigures({ hook, day }: HookFiguresProps) {
  const inFocus = useDesk((state) => scopeOf(state)?.account)
  const account = hook.account ?? inFocus
  const sums = useHookPnl(hook.name, account, day?.last?.runId)
  const { fires = 0, ok = 0, failed = 0, skipped = 0, medianMs, p95Ms } = day ?? {}
  return (
    <section className="hook-figures" aria-label="Last 24 hours">
      <div className="wide">
        <span className="muted">Last 24 hours</span>
        <HookDayBar day={day} />
        <p className="muted">{dayWords(day)}</p>
      </div>
      <Figure title="Succeeded" value={`${ok}`} aside={`of ${ok + failed}`} />
      <Figure title="Failed" value={`${failed}`} tone={failed > 0 ? 'loss' : undefined} />
      <Figure title="Stopped by a limit" value={`${skipped}`} aside={`of ${fires}`} />
      <Figure
        title="Takes"
        value={medianMs === undefined ? '–' : showSpan(medianMs)}
        aside={p95Ms === undefined ? undefined : `p95 ${showSpan(p95Ms)}`}
      />
      <div>
        <span className="muted">{`Made in ${PNL_DAYS} days`}</span>
        <b>
          {sums === undefined && '–'}
          {sums?.length === 0 && 'no fills'}
          {sums?.map(({ currency, net }) => (
            <span key={currency}>
              <Gain text={net} /> <span className="muted">{currency} </span>
            </span>
          ))}
        </b>
        {sums !== undefined && sums.length > 0 && <span className="muted cut">{`on ${account}`}</span>}
      </div>
    </section>
  )
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly aside?: string | undefined
  readonly tone?: 'loss' | undefined
}

function Figure({ title, value, aside, tone }: FigureProps) {
  return (
    <div>
      <span className="muted">{title}</span>
      <span>
        <b className={tone}>{value}</b> {aside !== undefined && <span className="muted">{aside}</span>}
      </span>
    </div>
  )
}
