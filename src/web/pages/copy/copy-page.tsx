// Copy: who copies whom, and whether it holds.
import { CrossTradePane } from './cross-trade-pane.tsx'

export function CopyPage() {
  return (
    <div className="page page-hooks">
      <CrossTradePane />
    </div>
  )
}
