// The line being typed: what is in it, and what the field's keys do to it.
import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react'
import { useDeskStore } from '../shell/desk-store.ts'
import { useConsole } from '../use-console.ts'
import { type InputAction, inputAction } from './input-keys.ts'
import { ghostOf, NOT_RECALLING, recalled } from './recall.ts'
import type { TypedHistory } from './typed-history.ts'
import { completedLine } from './use-completion.ts'

export interface TypedLineOptions {
  readonly field: RefObject<HTMLInputElement | null>
  readonly history: TypedHistory
  readonly prompt: string
  readonly onEnter: (line: string) => void
  readonly onSearch: () => void
}

export function useTypedLine({ field, history, prompt, onEnter, onSearch }: TypedLineOptions) {
  const console = useConsole()
  const [text, setText] = useState('')
  const [recall, setRecall] = useState(NOT_RECALLING)
  useProposedLine(setText, field)
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
  // What has been typed on by then stays.
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
function useProposedLine(setText: (line: string) => void, field: TypedLineOptions['field']): void {
  const proposed = useDeskStore((state) => state.proposed)
  useEffect(() => {
    if (proposed === undefined) return
    setText(proposed.line)
    field.current?.focus()
  }, [proposed, setText, field])
}
