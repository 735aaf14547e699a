// Keys of the whole page → what they ask for. Nothing that trades runs from one key.
import type { ConsolePage } from '../../protocol/console-pages.ts'
import { PLACES } from './places.ts'

export type PageAction =
  | { readonly kind: 'terminal' | 'palette' | 'help' | 'filter' | 'symbol' | 'account' | 'halt' }
  | { readonly kind: 'page'; readonly id: ConsolePage }
  | { readonly kind: 'cycle'; readonly by: 1 | -1 }
  | TradeAction
  /** G was pressed: the next letter says where. */
  | { readonly kind: 'prefix' }

/** On Trade: the ticket is filled in, or a line that closes the position is shown. None of them sends. */
export type TradeAction =
  | { readonly kind: 'ticket-side'; readonly side: 'buy' | 'sell' }
  | { readonly kind: 'ticket-kind'; readonly order: 'limit' | 'market' }
  | { readonly kind: 'close-position' }

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
  return PLAIN_LETTERS.get(letter)
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
  ['x', { kind: 'close-position' }],
])
