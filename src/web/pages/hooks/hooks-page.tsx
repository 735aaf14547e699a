// Hooks: what a POST runs.
import { HooksPane } from './hooks-pane.tsx'

export function HooksPage() {
  return (
    <div className="page page-hooks">
      <HooksPane />
    </div>
  )
}
