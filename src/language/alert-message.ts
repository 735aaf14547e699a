// What to paste into a charting platform as the message of an alert (behaviour 44): a line for each form that is read.
import type { AlertSlot } from './alert-slot.ts'

export interface AlertMessage {
  readonly json: string
  readonly pairs: string
}

/** @returns undefined where the hook has no slots: then the message is ignored */
export function alertMessage(slots: readonly AlertSlot[]): AlertMessage | undefined {
  if (slots.length === 0) return undefined
  const texts = slots.map((slot) => [slot.name, placeholder(slot)] as const)
  return {
    json: JSON.stringify(Object.fromEntries(texts)),
    pairs: texts.map((text) => text.join('=')).join(' '),
  }
}

/** TradingView's placeholders; a size is for its author to set. */
function placeholder(slot: AlertSlot): string {
  switch (slot.type) {
    case 'usd':
      return slot.max
    case 'number':
      return '{{close}}'
    case 'side':
      return '{{strategy.order.action}}'
    case 'target':
      return slot.name.startsWith('prev') ? '{{strategy.prev_market_position}}' : '{{strategy.market_position}}'
    default:
      return '{{ticker}}'
  }
}
