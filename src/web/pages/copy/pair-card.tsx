// One pair in the matrix: its weight, what the copier should hold and holds, how far apart they are, and how it is. Each says itself in words.
import type { CopierStateRow } from '../../../protocol/frames.ts'
import { showFigure } from '../../figures.ts'
import { modeTitle, weightText } from './copy-lines.ts'
import { type Divergence, divergenceOf } from './divergence.ts'
import { type Pair, standingOf } from './pairs.ts'

export interface PairCardProps {
  readonly pair: Pair
  readonly isRunning: boolean
  readonly isOpen: boolean
  readonly onOpen: () => void
}

export function PairCard({ pair, isRunning, isOpen, onOpen }: PairCardProps) {
  const { row, copier, states } = pair
  const { tone, word, why } = standingOf(pair, isRunning)
  const [first, ...others] = isRunning && row.enabled ? states : []
  return (
    <button type="button" className="pair-card" aria-current={isOpen} data-pair={pair.key} onClick={onOpen}>
      <span className="pair-line">
        <span className="pair-copier">{copier.account}</span>
        <b className="figure">{weightText(row, copier)}</b>
        <span className="muted">{modeTitle(copier.mode)}</span>
        <span className={`tag ${tone}`}>{word}</span>
      </span>
      {copier.symbol !== undefined && <span className="muted">{`onto ${copier.symbol}`}</span>}
      {first !== undefined && <Held state={first} isNamed={others.length > 0} />}
      {others.length > 0 && <span className="muted">{othersWords(others)}</span>}
      {why !== undefined && <span className="pair-why">{why}</span>}
    </button>
  )
}

/** @param isNamed several symbols are copied: this is one of them */
function Held({ state, isNamed }: { readonly state: CopierStateRow; readonly isNamed: boolean }) {
  const { symbol, desired, owned } = state
  const divergence = divergenceOf(desired, owned)
  return (
    <>
      <span className="pair-line pair-held">
        {isNamed && <span>{symbol}</span>}
        <span>
          <span className="muted">should hold</span> <span className="figure">{showFigure(desired)}</span>
        </span>
        <span>
          <span className="muted">holds</span> <span className="figure">{showFigure(owned)}</span>
        </span>
      </span>
      {divergence && <Gauge divergence={divergence} />}
      {divergence && <span className={`pair-off ${divergence.tone}`}>{divergence.words}</span>}
    </>
  )
}

/** Full: on target. Said in words below it. */
export function Gauge({ divergence: { part, tone } }: { readonly divergence: Divergence }) {
  return (
    <span className="gauge" aria-hidden="true">
      <span className={`gauge-part ${tone}`} style={{ width: `${(part * 100).toFixed(1)}%` }} />
    </span>
  )
}

function othersWords(others: readonly CopierStateRow[]): string {
  const off = others.filter(({ desired, owned }) => divergenceOf(desired, owned)?.tone !== 'good').length
  const count = others.length === 1 ? '1 symbol more' : `${others.length} symbols more`
  return off === 0 ? `${count}, on target` : `${count}, ${off} off target`
}
