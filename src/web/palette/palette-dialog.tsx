// Where the palette opens: a field that takes what is typed at once, and what it finds when that has been loaded.
import { lazy, Suspense, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'

export const loadPalette = () => import('./palette.tsx')
const Palette = lazy(loadPalette)
const PLACEHOLDER = 'A line, a page, a symbol, a hook, a run'

export function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('')
  /** Enter, before there was anything to take: for what had been typed by then. */
  const [entered, setEntered] = useState<string>()
  return (
    <Dialog title="Find or run" onClose={onClose} className="palette" isTitleUnseen>
      <Suspense fallback={<BareField typed={typed} onType={setTyped} onEnter={setEntered} />}>
        <Palette {...{ typed, onClose }} placeholder={PLACEHOLDER} onType={setTyped} isEntered={entered === typed} />
      </Suspense>
    </Dialog>
  )
}

interface BareFieldProps {
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly onEnter: (typed: string) => void
}

function BareField({ typed, onType, onEnter }: BareFieldProps) {
  return (
    <div className="palette-field">
      <Icon name="search" size={18} />
      <input
        data-first
        aria-label="Find or run"
        value={typed}
        placeholder={PLACEHOLDER}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && onEnter(typed)}
      />
    </div>
  )
}
