// The field where lines are typed: the browser's own editing, and the keys of a terminal on top of it.
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { promptText } from '../state/console-state.ts'
import { useDeskStore } from '../state/desk-store.ts'
import { useConsole, useDeskParts } from '../state/use-console.ts'
import { completedLine, useChoices } from './completion.ts'
import { readPasted, tooLong } from './paste.ts'
import { ghostOf, matching, NOT_RECALLING, recalled, type TypedHistory } from './typed-history.ts'

interface InputLineProps {
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
    <div className="gap-0 rigid relative row input-line">
      <Choices text={line.text} />
      <span className="clips rigid input-prompt">{prompt}</span>
      <span className="relative fill input-box">
        <input
          className="bare relative full"
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
        <span className="clips row input-ghost" aria-hidden="true">
          <span>{line.text}</span>
          {line.ghost}
        </span>
      </span>
    </div>
  )
}

/** The browser inserts a single valid line; several are shown first. */
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

// --- keys of the field that mean more than the browser's own editing

type InputAction =
  | 'enter'
  | 'older'
  | 'newer'
  | 'complete'
  | 'take-ghost'
  | 'search'
  | 'clear'
  | 'delete-to-start'
  | 'drop'

const PLAIN: Readonly<Record<string, InputAction>> = {
  Enter: 'enter',
  ArrowUp: 'older',
  ArrowDown: 'newer',
  Tab: 'complete',
  ArrowRight: 'take-ghost',
}

const WITH_CONTROL: Readonly<Record<string, InputAction>> = {
  r: 'search',
  l: 'clear',
  u: 'delete-to-start',
  p: 'older',
  n: 'newer',
  c: 'drop',
}

type InputKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey'>

/** @returns undefined: the browser's own */
export function inputAction({ key, ctrlKey, altKey, metaKey, shiftKey }: InputKey): InputAction | undefined {
  if (altKey || metaKey || (shiftKey && key === 'Tab')) return undefined
  return ctrlKey ? WITH_CONTROL[key.toLowerCase()] : PLAIN[key]
}

// --- the line being typed: what is in it, and what the field's keys do to it.

interface TypedLineOptions {
  readonly field: RefObject<HTMLInputElement | null>
  readonly history: TypedHistory
  readonly prompt: string
  readonly onEnter: (line: string) => void
  readonly onSearch: () => void
}

function useTypedLine({ field, history, prompt, onEnter, onSearch }: TypedLineOptions) {
  const console = useConsole()
  const [text, setText] = useState('')
  const [recall, setRecall] = useState(NOT_RECALLING)
  useProposedLine(text, setText, field)
  const put = (line: string): true => {
    setText(line)
    setRecall(NOT_RECALLING)
    return true
  }
  const step = (by: 1 | -1): true => {
    const next = recalled(text, recall, by, history.lines()) ?? { text, recall }
    setText(next.text)
    setRecall(next.recall)
    return true
  }
  // Text typed in the meantime stays.
  const completeAt = async (cursor: number) => {
    const line = await completedLine(console, text, cursor)
    setText((now) => (now === text ? line : now))
  }
  /** @returns whether the key is used up */
  const act = (action: InputAction, start: number, end: number): boolean => {
    switch (action) {
      case 'enter':
        onEnter(text)
        return put('')
      case 'older':
        return step(1)
      case 'newer':
        return step(-1)
      case 'complete':
        if (text !== '') void completeAt(start)
        return text !== ''
      case 'take-ghost':
        return start === text.length && put(text + ghostOf(text, history.lines()))
      case 'delete-to-start':
        return put(text.slice(start))
      case 'search':
        return done(onSearch)
      case 'clear':
        return done(() => console.log.clear())
      case 'drop':
        // With something selected it copies.
        if (start !== end) return false
        if (text !== '') console.log.typed(prompt, `${text}^C`, Date.now())
        return put('')
    }
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const action = event.nativeEvent.isComposing ? undefined : inputAction(event)
    if (action === undefined) return
    const { selectionStart, selectionEnd } = event.currentTarget
    if (act(action, selectionStart ?? text.length, selectionEnd ?? text.length)) event.preventDefault()
  }
  return { text, put, onKeyDown, ghost: ghostOf(text, history.lines()) }
}

function done(act: () => void): true {
  act()
  return true
}

/** A line that a button of the page wants typed. */
function useProposedLine(text: string, setText: (line: string) => void, field: TypedLineOptions['field']): void {
  const proposed = useDeskStore((state) => state.proposed)
  const placed = useRef<typeof proposed>(undefined)
  useEffect(() => {
    if (proposed === undefined) return
    setText(proposed.line)
    field.current?.focus()
  }, [proposed, setText, field])
  // Once the field has the text.
  useLayoutEffect(() => {
    if (proposed === undefined || placed.current === proposed || text !== proposed.line) return
    placed.current = proposed
    field.current?.setSelectionRange(proposed.caret, proposed.caret)
  }, [proposed, text, field])
}

// --- Ctrl R: a piece of a line typed before, and the lines that have it.

interface HistorySearchProps {
  readonly history: TypedHistory
  /** @param line undefined: what was typed stays */
  readonly onClose: (line: string | undefined) => void
}

const SHOWN = 8

function HistorySearch({ history, onClose }: HistorySearchProps) {
  const [query, setQuery] = useState('')
  const [index, setIndex] = useState(0)
  const lines = matching(history.lines(), query)
  const chosen = Math.min(index, Math.max(0, lines.length - 1))
  const move = (by: number) => setIndex(Math.max(0, Math.min(chosen + by, lines.length - 1)))
  const onKeyDown = (event: KeyboardEvent) => {
    const isOlder = event.key === 'ArrowUp' || (event.ctrlKey && event.key === 'r')
    if (isOlder) move(1)
    else if (event.key === 'ArrowDown') move(-1)
    else if (event.key === 'Enter' || event.key === 'Tab') onClose(lines[chosen])
    else if (event.key === 'Escape') onClose(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const from = Math.max(0, chosen - SHOWN + 1)
  return (
    <div className="gap-0 rigid relative row input-line">
      <ol className="history-lines" aria-label="Lines typed before, the newest at the foot">
        {lines
          .slice(from, from + SHOWN)
          .map((line, at) => (
            <li key={line} className="cut" aria-current={from + at === chosen ? 'true' : undefined}>
              {line}
            </li>
          ))
          .reverse()}
      </ol>
      <span className="clips rigid input-prompt">search </span>
      <span className="relative fill input-box">
        <input
          // biome-ignore lint/a11y/noAutofocus: it was opened to type here
          autoFocus
          className="bare relative full"
          aria-label="Search the lines typed before. Enter takes the line, Escape leaves."
          value={query}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setQuery(event.target.value)
            setIndex(0)
          }}
          onKeyDown={onKeyDown}
        />
      </span>
      {/* A screen reader reads the line that Enter would take. */}
      <span className="visually-hidden" role="status">
        {lines[chosen] ?? 'no such line'}
      </span>
    </div>
  )
}
