// The field where lines are typed: the browser's own editing, and the keys of a terminal on top of it.
import { type ClipboardEvent, type RefObject, useState } from 'react'
import { useConsole, useDeskParts } from '../use-console.ts'
import { HistorySearch } from './history-search.tsx'
import { readPasted, tooLong } from './pasted.ts'
import { promptText } from './prompt-text.ts'
import type { TypedHistory } from './typed-history.ts'
import { useChoices } from './use-completion.ts'
import { useTypedLine } from './use-typed-line.ts'

export interface InputLineProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly history: TypedHistory
  readonly onEnter: (line: string) => void
  readonly onPasteLines: (lines: readonly string[]) => void
}

const LABEL = 'Terminal input. Tab completes; F6 or Shift Tab leaves the terminal.'
const MOST_CHOICES = 24

export function InputLine({ field, history, onEnter, onPasteLines }: InputLineProps) {
  const [isSearching, setSearching] = useState(false)
  const prompt = promptText(useDeskParts('connection', 'focus', 'portfolio', 'chosen'))
  const line = useTypedLine({ field, history, prompt, onEnter, onSearch: () => setSearching(true) })
  const onPaste = usePaste(line.text, onPasteLines)
  const close = (found: string | undefined) => {
    setSearching(false)
    if (found !== undefined) line.put(found)
    requestAnimationFrame(() => field.current?.focus())
  }
  if (isSearching) return <HistorySearch history={history} onClose={close} />
  return (
    <div className="input-line">
      <Choices text={line.text} />
      <span className="input-prompt">{prompt}</span>
      <span className="input-box">
        <input
          ref={field}
          aria-label={LABEL}
          value={line.text}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          onChange={(event) => line.put(event.target.value)}
          onKeyDown={line.onKeyDown}
          onPaste={onPaste}
        />
        <span className="input-ghost" aria-hidden="true">
          <span>{line.text}</span>
          {line.ghost}
        </span>
      </span>
    </div>
  )
}

/** One line is the browser's to put in, if hookline would take it; several are shown first. */
function usePaste(text: string, onPasteLines: InputLineProps['onPasteLines']) {
  const { log } = useConsole()
  return (event: ClipboardEvent<HTMLInputElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget
    const around = text.length - ((selectionEnd ?? 0) - (selectionStart ?? 0))
    const pasted = readPasted(event.clipboardData.getData('text'), around)
    if (pasted.kind === 'text') return
    event.preventDefault()
    if (pasted.kind === 'lines') onPasteLines(pasted.lines)
    else log.print({ kind: 'warn', text: tooLong(pasted.length) }, Date.now())
  }
}

function Choices({ text }: { readonly text: string }) {
  const choices = useChoices(text)
  const more = choices.length - MOST_CHOICES
  if (choices.length === 0) return null
  return (
    <p className="choices cut" aria-hidden="true">
      {choices.slice(0, MOST_CHOICES).join('  ')}
      {more > 0 && `  and ${more} more`}
    </p>
  )
}
