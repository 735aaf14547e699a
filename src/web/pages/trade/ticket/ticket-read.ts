// The ticket that a line means: the other way round.
import type { Argument } from '../../../../language/chain.ts'
import { parseChase } from '../../../../language/chase.ts'
import { LanguageError } from '../../../../language/language-error.ts'
import { parseOrder, parseStop } from '../../../../language/order.ts'
import { parseChain } from '../../../../language/parse.ts'
import { parseScale } from '../../../../language/placing.ts'
import type { Size } from '../../../../language/size.ts'
import { parseTwap } from '../../../../language/twap.ts'
import { durationText } from '../../../preview/duration-text.ts'
import { EMPTY_TICKET, type Ticket } from './ticket.ts'
import { priceText, reachText } from './ticket-words.ts'

/** @param symbol the tab's; undefined where the line means more than a ticket can show */
export function readTicket(line: string, symbol: string): Ticket | undefined {
  try {
    const { stages } = parseChain(line)
    const [step, second] = stages.flatMap(({ commands }) => commands)
    if (step === undefined || second !== undefined || step.links) return undefined
    const read = READERS.get(step.name.toLowerCase())?.(step.args)
    if (read === undefined || read.symbols.some((each) => each !== symbol)) return undefined
    return { ...EMPTY_TICKET, ...read.ticket }
  } catch (error) {
    if (error instanceof LanguageError) return undefined
    throw error
  }
}

interface Read {
  readonly symbols: readonly string[]
  readonly ticket: Partial<Ticket>
}

/** undefined: it means what no ticket shows. */
type Reader = (args: readonly Argument[]) => Read | undefined

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['buy', (args) => readOrder(args, 'buy')],
  ['b', (args) => readOrder(args, 'buy')],
  ['sell', (args) => readOrder(args, 'sell')],
  ['s', (args) => readOrder(args, 'sell')],
  ['stop', readStop],
  ['sl', readStop],
  ['chase', readChase],
  ['twap', readTwap],
  ['scale', readScale],
])

function readOrder(args: readonly Argument[], side: Ticket['side']): Read | undefined {
  const order = parseOrder(args)
  const size = sizeFields(order.size)
  if (order.best || order.timeInForce !== undefined || size === undefined) return undefined
  return {
    symbols: order.symbols,
    ticket: {
      side,
      ...size,
      kind: order.price ? 'limit' : 'market',
      price: order.price ? priceText(order.price) : '',
      stop: order.stop ? priceText(order.stop) : '',
      target: order.takeProfit ? priceText(order.takeProfit) : '',
      reduceOnly: order.reduce,
      postOnly: order.postOnly,
    },
  }
}

function readStop(args: readonly Argument[]): Read | undefined {
  const { symbols, side, size, trigger, limit } = parseStop(args)
  // One that names its side alone protects, but only against the side that it names.
  if (side !== undefined && size === undefined) return undefined
  const sized = size === undefined ? {} : sizeFields(size)
  if (sized === undefined) return undefined
  return {
    symbols,
    ticket: {
      kind: 'stop',
      ...sized,
      aim: side === undefined ? 'protect' : 'enter',
      side: side ?? 'buy',
      trigger: priceText(trigger),
      limit: limit ? priceText(limit) : '',
    },
  }
}

function readChase(args: readonly Argument[]): Read | undefined {
  const intent = parseChase(args)
  if (intent.kind === 'cancel') return undefined
  const { side, symbols, to, lastsMs, rest, reduce } = intent
  const size = sizeFields(intent.size)
  if (size === undefined) return undefined
  return {
    symbols,
    ticket: {
      kind: 'chase',
      side,
      ...size,
      rest,
      reduceOnly: reduce,
      reach: to ? reachText(to) : '',
      lasts: lastsMs === undefined ? '' : durationText(lastsMs),
    },
  }
}

function readTwap(args: readonly Argument[]): Read | undefined {
  const { side, symbols, size: typed, slices, durationMs, random, limit, reduce } = parseTwap(args)
  const size = sizeFields(typed)
  if (size === undefined) return undefined
  return {
    symbols,
    ticket: {
      kind: 'twap',
      side,
      ...size,
      slices: String(slices),
      lasts: durationText(durationMs),

      random: random === undefined ? '' : `${random}%`,
      beyond: limit ? priceText(limit) : '',
      reduceOnly: reduce,
    },
  }
}

function readScale(args: readonly Argument[]): Read | undefined {
  const { side, symbol, size: typed, count, from, to, skew, sizeSkew, postOnly, reduce } = parseScale(args)
  const size = sizeFields(typed)
  if (size === undefined || !/^-?0(\.0*)?$/.test(sizeSkew)) return undefined
  return {
    symbols: symbol === undefined ? [] : [symbol],
    ticket: {
      kind: 'scale',
      side,
      ...size,
      slices: String(count),
      from: priceText(from),
      to: priceText(to),
      skew: /^-?0(\.0*)?$/.test(skew) ? '' : skew,
      postOnly,
      reduceOnly: reduce,
    },
  }
}

function sizeFields(size: Size): Pick<Ticket, 'size' | 'unit'> | undefined {
  if (size.kind !== 'percent') return { size: size.amount, unit: size.kind }
  return size.of === undefined ? { size: size.percent, unit: 'percent' } : undefined
}
