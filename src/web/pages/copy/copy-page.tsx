// Copy: who copies whom and whether it holds, one pair to look at and change, and what was copied last.
import { useDesk } from '../../use-console.ts'
import { CopiesPane } from './copies-pane.tsx'
import { EnginePane } from './engine-pane.tsx'
import { MatrixPane } from './matrix-pane.tsx'
import { PairPane } from './pair-pane.tsx'
import { type Pair, pairsOf } from './pairs.ts'
import { usePairView } from './use-pair-view.ts'
import '../../style/copy.css'
import '../../style/copy-pair.css'

const NONE: readonly Pair[] = []

export function CopyPage() {
  const engine = useDesk((state) => state.crossTrade)
  const view = usePairView()
  const pairs = engine === undefined ? NONE : pairsOf(engine)
  const isOpen = view.open !== undefined || view.adding !== undefined
  return (
    <div className="page page-copy" data-open={isOpen}>
      <EnginePane engine={engine} />
      <MatrixPane engine={engine} pairs={pairs} view={view} />
      {isOpen && <PairPane key={view.open ?? JSON.stringify(view.adding)} engine={engine} pairs={pairs} view={view} />}
      <CopiesPane engine={engine} pairs={pairs} />
    </div>
  )
}
