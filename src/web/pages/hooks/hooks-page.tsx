// Hooks: what a POST runs.
import { HooksPane } from './hooks-pane.tsx'

export function HooksPage() {
  return <HooksPane />
}
