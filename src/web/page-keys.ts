// Keys of the whole page → what they ask for. The terminal hands over those it does not keep.
import { PANELS, type PanelId } from './panel-list.ts'

export type PageAction =
  | { readonly kind: 'terminal' }
  | { readonly kind: 'help' }
  | { readonly kind: 'panel'; readonly id: PanelId }
  | { readonly kind: 'cycle'; readonly by: 1 | -1 }

export type PressedKey = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

/** @param isTyping the focus is where letters are text */
export function pageAction(event: PressedKey, isTyping: boolean): PageAction | undefined {
  const { key, code, altKey, ctrlKey, metaKey, shiftKey } = event
  if (key === 'F6') return { kind: 'cycle', by: shiftKey ? -1 : 1 }
  if (ctrlKey !== metaKey && !altKey && !shiftKey && code === 'KeyK') return { kind: 'terminal' }
  if (altKey && !ctrlKey && !metaKey) {
    // By its place: with Alt, some keyboards make other letters of digits.
    const id = PANELS[Number(/^Digit([1-9])$/.exec(code)?.[1]) - 1]?.id
    return id === undefined ? undefined : { kind: 'panel', id }
  }
  if (isTyping || ctrlKey || metaKey) return undefined
  if (key === '/') return { kind: 'terminal' }
  return key === '?' ? { kind: 'help' } : undefined
}
