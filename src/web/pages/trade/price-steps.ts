import { defined } from '../../../base/defined.ts'
import type { MarketRow } from '../../../protocol/frames.ts'
import { digitsOf, scaleOf, unitsOf, unscaled, withoutZeros } from '../../figures.ts'
import type { Ticket, TicketField } from './ticket/ticket.ts'

// Prices on the tick, as texts.

/** The multiple of `tick` that is nearest to where a pointer is. @param price of a drawing, never of an order */
export function onTick(price: number, tick: string): string {
  const digits = digitsOf(tick)
  const step = unitsOf(tick, digits)
  const scaled = BigInt(Math.round(price * 10 ** digits))
  if (step === 0n) return price.toFixed(digits)
  const rounded = ((scaled + step / 2n) / step) * step
  return unscaled(rounded, digits)
}

// A figure in a field, one step up or down by an arrow key. The step changes its text: hookline computes its value.

const FIGURE = /^(.*?)([+\-−]?)\s*(\d+(?:\.\d+)?)(\s*[%smhd$]?)$/i
const PERCENT_STEP = '0.1'

/**
 * @param step a decimal above zero
 * @param times steps up, or down where it is negative
 * @returns as it was where there is no figure in it, or where it would be no size or price any more
 */
export function stepFigure(text: string, step: string, times: number): string {
  const [, before = '', sign = '', figure, after = ''] = FIGURE.exec(text.trim()) ?? []
  if (figure === undefined) return text
  const digits = Math.max(scaleOf(figure), scaleOf(step))
  const isNegative = sign === '-' || sign === '−'
  const value = unitsOf(figure, digits) * (isNegative ? -1n : 1n)
  const next = value + unitsOf(step, digits) * BigInt(times)
  const isOffset = sign !== ''
  if (!isOffset && next <= 0n) return text
  const shown = withoutZeros(unscaled(next < 0n ? -next : next, digits))
  return `${before}${isOffset ? (next < 0n ? '-' : '+') : ''}${shown}${after}`
}

/** A field of the ticket after an arrow key. @param last price of the market */
export function stepField(
  ticket: Ticket,
  field: TicketField,
  { times, market, last }: { readonly times: number; readonly market: MarketRow | undefined; readonly last?: string },
): string {
  const text = ticket[field]
  if (text.trim() === '') return beginning(ticket, field, { market, ...defined({ last }) })
  return stepFigure(text, stepOf(ticket, field, market), times)
}

function stepOf(ticket: Ticket, field: TicketField, market: MarketRow | undefined): string {
  if (field === 'size') {
    const isShare = ticket.size.trim().endsWith('%')
    return { quote: '10', percent: '5', base: market?.lotSize ?? '0.001', risk: isShare ? PERCENT_STEP : '5' }[
      ticket.unit
    ]
  }
  if (field === 'slices' || field === 'lasts' || field === 'random') return '1'
  if (field === 'skew' || ticket[field].trim().endsWith('%')) return PERCENT_STEP
  return market?.tick ?? '1'
}

/** Where an arrow begins in a field that is empty. */
function beginning(
  { side, unit, aim, kind }: Ticket,
  field: TicketField,
  { market, last = '' }: { readonly market: MarketRow | undefined; readonly last?: string },
): string {
  const [behind, ahead] = side === 'buy' ? ['-1%', '+1%'] : ['+1%', '-1%']
  const beginnings: Readonly<Record<TicketField, string>> = {
    size: { quote: '100', percent: '25', base: market?.minAmount ?? '0.001', risk: '1%' }[unit],
    price: last,
    limit: '-0.2%',
    beyond: ahead,
    stop: behind,
    target: ahead,
    from: behind,
    trigger: aim === 'enter' ? ahead : '-1%',
    to: side === 'buy' ? '-3%' : '+3%',
    reach: '1%',
    lasts: kind === 'chase' ? '5m' : '30m',
    slices: '5',
    random: '20%',
    skew: '0.5',
  }
  return beginnings[field]
}
