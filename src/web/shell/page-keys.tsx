// Keys of the whole page: what each asks for, the listener, F6 from region to region, and the help that lists them. Nothing that trades runs
// from one key.
import { useEffect, useRef } from 'react'
import type { ConsolePage } from '../../protocol/console.ts'
import type { TradeAction } from '../state/desk-store.ts'
import { usePreferences } from '../state/preferences.ts'
import { PLACES } from './routes.ts'

export type PageAction =
  | { readonly kind: 'terminal' | 'palette' | 'help' | 'filter' | 'symbol' | 'account' | 'halt' }
  | { readonly kind: 'page'; readonly id: ConsolePage }
  | { readonly kind: 'cycle'; readonly by: 1 | -1 }
  | TradeAction
  /** G was pressed: the next letter says where. */
  | { readonly kind: 'prefix' }

export type PressedKey = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

export interface KeyContext {
  /** The focus is where letters are text. */
  readonly isTyping: boolean
  /** G was the key before. */
  readonly isAfterPrefix: boolean
  readonly hasLetterKeys: boolean
}

export function pageAction(event: PressedKey, context: KeyContext): PageAction | undefined {
  const { key, code, altKey, ctrlKey, metaKey, shiftKey } = event
  if (key === 'F6') return { kind: 'cycle', by: shiftKey ? -1 : 1 }
  const isCommand = ctrlKey !== metaKey && !altKey && !shiftKey
  if (isCommand && code === 'KeyK') return { kind: 'palette' }
  if (isCommand && key === '.') return { kind: 'halt' }
  if (altKey && !ctrlKey && !metaKey) {
    // By its place: with Alt, some keyboards make other letters of digits.
    const id = PLACES[Number(/^Digit([1-9])$/.exec(code)?.[1]) - 1]?.id
    return id && { kind: 'page', id }
  }
  if (context.isTyping || ctrlKey || metaKey) return undefined
  if (key === '`') return { kind: 'terminal' }
  return context.hasLetterKeys ? letterAction(key, context.isAfterPrefix) : undefined
}

function letterAction(key: string, isAfterPrefix: boolean): PageAction | undefined {
  const letter = key.toLowerCase()
  if (isAfterPrefix) {
    if (letter === 'a') return { kind: 'account' }
    const place = PLACES.find((each) => each.key === letter)
    return place && { kind: 'page', id: place.id }
  }
  return /^[1-9]$/.test(key) ? { kind: 'ticket-size', at: Number(key) } : PLAIN_LETTERS.get(letter)
}

const PLAIN_LETTERS: ReadonlyMap<string, PageAction> = new Map<string, PageAction>([
  ['g', { kind: 'prefix' }],
  ['s', { kind: 'symbol' }],
  ['/', { kind: 'filter' }],
  ['?', { kind: 'help' }],
  ['b', { kind: 'ticket-side', side: 'buy' }],
  ['v', { kind: 'ticket-side', side: 'sell' }],
  ['l', { kind: 'ticket-kind', order: 'limit' }],
  ['m', { kind: 'ticket-kind', order: 'market' }],
  ['0', { kind: 'ticket-focus' }],
  ['x', { kind: 'close-position' }],
])

// --- the listener

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
      if (action === undefined || !isAllowedFrom(target, action) || (event.repeat && action.kind === 'halt')) return
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
function isAllowedFrom(target: HTMLElement | undefined, { kind }: PageAction): boolean {
  return kind === 'halt' || !target?.closest('dialog, [popover]')
}

// --- F6: from region to region of the desk, from top to bottom

/** Everything of the page that is seen and has a name. */
function regions(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-region]')].filter((region) => region.checkVisibility())
}

export function focusRegionAfter(by: 1 | -1): void {
  const all = regions()
  const current = document.activeElement?.closest<HTMLElement>('[data-region]')
  const index = current ? all.indexOf(current) : by > 0 ? -1 : 0
  const next = all.at((index + by) % all.length)
  if (next === undefined) return
  if (next.dataset.region === 'Terminal') next.querySelector<HTMLElement>('.input-line input')?.focus()
  else next.focus()
}
