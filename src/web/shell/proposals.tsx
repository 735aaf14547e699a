// What waits for a person: a strip while clients propose lines, and the dialog that shows them, loaded when it opens.
import { lazy, Suspense, useState } from 'react'
import type { ProposalRow } from '../../protocol/desk-frames.ts'
import { isOpen } from '../../protocol/rows.ts'
import { PartBoundary } from '../components/boundary.tsx'
import { Icon } from '../components/icon.tsx'
import { isLive } from '../state/console-state.ts'
import { useDesk } from '../state/use-console.ts'

const ProposalsDialog = lazy(() => import('./proposals-dialog.tsx'))
const NONE: readonly ProposalRow[] = []

export function ProposalsStrip() {
  const all = useDesk((state) => (isLive(state) && state.proposals) || NONE)
  const [isShown, setShown] = useState(false)
  const count = all.filter(isOpen).length
  return (
    <>
      {count > 0 && (
        <section className="row banner" aria-label="Proposals">
          <Icon name="bell" size={18} />
          <p className="fill" role="status">
            <b>{count === 1 ? '1 proposal' : `${count} proposals`}</b>
            Nothing runs before you approve it.
          </p>
          <button type="button" className="button small" onClick={() => setShown(true)}>
            Look
          </button>
        </section>
      )}
      {isShown && (
        <PartBoundary name="Proposals">
          <Suspense>
            <ProposalsDialog onClose={() => setShown(false)} />
          </Suspense>
        </PartBoundary>
      )}
    </>
  )
}
