// Journal: what ran.
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { useDeskParts } from '../../use-console.ts'
import { HookRuns } from './hook-runs.tsx'

export function JournalPage() {
  const { hookRuns, hooks } = useDeskParts('hookRuns', 'hooks')
  return (
    <div className="page page-hooks">
      <Pane id="journal" title="Journal" aside="fires of hooks since this page was opened">
        {hooks === undefined && <Nothing what="Runs" rows={3} />}
        {hooks !== undefined && hookRuns.length === 0 && (
          <Empty title="No fire yet" line="runs">
            Fires of hooks appear here as they come. Earlier runs are in the terminal:
          </Empty>
        )}
        <HookRuns runs={hookRuns} hooks={hooks} />
      </Pane>
    </div>
  )
}
