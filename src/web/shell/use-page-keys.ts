// Listens to the page's keys and does what they ask.
import { useEffect, useRef } from 'react'
import { type PageAction, pageAction } from './page-keys.ts'
import { usePreferences } from './preferences.ts'

const PREFIX_MS = 1_500
const WITH_TEXT = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]'

export function usePageKeys(act: (action: PageAction) => void): void {
  const prefixedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : undefined
      if (event.defaultPrevented || !isItsTurn(event)) return
      const action = pageAction(event, {
        isTyping: target?.matches(WITH_TEXT) ?? false,
        isAfterPrefix: event.timeStamp - prefixedAt.current < PREFIX_MS,
        hasLetterKeys: usePreferences.getState().hasLetterKeys,
      })
      prefixedAt.current = action?.kind === 'prefix' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (action === undefined || !isHeardFrom(target, action) || (event.repeat && action.kind === 'halt')) return
      event.preventDefault()
      act(action)
    }
    addEventListener('keydown', onKeyDown)
    addEventListener('keydown', onKeyDown, true)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener('keydown', onKeyDown, true)
    }
  }, [act])
}

/** F6 is heard on its way down: the edges of panes would go from edge to edge by it. */
function isItsTurn(event: KeyboardEvent): boolean {
  return (event.key === 'F6') === (event.eventPhase === Event.CAPTURING_PHASE)
}

/** A dialog is its own world, but the way to stop trading is open from everywhere. */
function isHeardFrom(target: HTMLElement | undefined, { kind }: PageAction): boolean {
  return kind === 'halt' || !target?.closest('dialog, [popover]')
}
