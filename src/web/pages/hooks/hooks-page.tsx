// Hooks: what a POST runs.
import '../../style/hook-page.css'
import '../../style/hook-detail.css'
import '../../style/hook-editor.css'
import '../../style/hook-forms.css'
import { HooksPane } from './hooks-pane.tsx'

export function HooksPage() {
  return <HooksPane />
}
