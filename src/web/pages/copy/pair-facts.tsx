// What a copier should hold and holds, symbol by symbol, and why it is not as it should be.
import { showFigure } from '../../figures.ts'
import { divergenceOf } from './divergence.ts'
import { Gauge } from './pair-card.tsx'
import type { Pair } from './pairs.ts'

export function PairFacts({ pair: { row, states }, isRunning }: { readonly pair: Pair; readonly isRunning: boolean }) {
  if (!row.enabled || !isRunning)
    return (
      <p className="hint">
        {row.enabled ? 'The engine is off: nothing is known of it now.' : 'Nothing is copied by it.'}
      </p>
    )
  if (states.length === 0) return <p className="hint">The engine has not told of it yet.</p>
  return states.map(({ symbol, desired, owned, why }) => {
    const divergence = divergenceOf(desired, owned)
    return (
      <section key={symbol} className="pair-facts" aria-label={symbol}>
        <h3>{symbol === '*' ? 'Nothing copied yet' : symbol}</h3>
        <dl>
          <Fact title="Should hold" text={showFigure(desired)} />
          <Fact title="Its orders hold" text={showFigure(owned)} />
          {divergence && <Fact title="Apart" text={divergence.words} tone={divergence.tone} />}
        </dl>
        {divergence && <Gauge divergence={divergence} />}
        {why !== undefined && (
          <p className="warning" role="note">
            {why}
          </p>
        )}
      </section>
    )
  })
}

function Fact({ title, text, tone }: { readonly title: string; readonly text: string; readonly tone?: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className={tone === undefined ? 'figure' : `figure pair-off ${tone}`}>{text}</dd>
    </div>
  )
}
