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
      // A dialog is its own world.
      if (event.defaultPrevented || target?.closest('dialog, [popover]')) return
      const action = pageAction(event, {
        isTyping: target?.matches(WITH_TEXT) ?? false,
        isAfterPrefix: event.timeStamp - prefixedAt.current < PREFIX_MS,
        hasLetterKeys: usePreferences.getState().hasLetterKeys,
      })
      prefixedAt.current = action?.kind === 'prefix' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (action === undefined) return
      event.preventDefault()
      act(action)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [act])
}
