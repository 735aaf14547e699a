// Where the palette opens: a field that takes what is typed at once, and what it finds when that has been loaded.
import { lazy, Suspense, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'

export const loadPalette = () => import('./palette.tsx')
const Palette = lazy(loadPalette)
const PLACEHOLDER = 'A line, a page, a symbol, a hook, a run'

export function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  /** Enter was pressed before there was anything to take, and nothing typed since. */
  const [isEntered, setEntered] = useState(false)
  const type = (next: string) => {
    setTyped(next)
    setEntered(false)
  }
  return (
    <Dialog title="Find or run" onClose={onClose} className="palette" isTitleUnseen>
      <Suspense fallback={<BareField typed={typed} onType={type} onEnter={() => setEntered(true)} />}>
        <Palette typed={typed} onClose={onClose} placeholder={PLACEHOLDER} isEntered={isEntered} onType={type} />
      </Suspense>
    </Dialog>
  )
}

interface BareFieldProps {
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly onEnter: () => void
}

function BareField({ typed, onType, onEnter }: BareFieldProps) {
  return (
    <div className="row palette-field">
      <Icon name="search" size={18} />
      <input
        className="bare fill text-4"
        data-first
        aria-label="Find or run"
        value={typed}
        placeholder={PLACEHOLDER}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && onEnter()}
      />
    </div>
  )
}
