import { create } from 'zustand'
import type { MarketRow } from '../../../../protocol/frames.ts'
import type { Preview, PreviewOrder } from '../../../../protocol/preview.ts'
import { scaleOf, unitsOf, unscaled, withoutZeros } from '../../../figures.ts'

// The fields of a ticket.
/** `risk`: what the stop may lose, in money, or with `%` of the equity. */
export type SizeUnit = 'quote' | 'base' | 'percent' | 'risk'

export const TICKET_KINDS = ['market', 'limit', 'stop', 'chase', 'twap', 'scale'] as const
export type TicketKind = (typeof TICKET_KINDS)[number]

/** As it is filled in: texts may be empty, half typed or wrong. What its kind has no use for is kept for when it changes back. */
export interface Ticket {
  readonly side: 'buy' | 'sell'
  readonly kind: TicketKind
  readonly size: string
  readonly unit: SizeUnit
  /** Of a limit. */
  readonly price: string
  /** Of what protects an entry. */
  readonly stop: string
  readonly target: string
  /** Of a stop order: at which price it comes. */
  readonly trigger: string
  /** Of the limit that it becomes. */
  readonly limit: string
  /** A stop order: protects a position, or enters one. */
  readonly aim: 'protect' | 'enter'
  /** How far a chase goes. */
  readonly reach: string
  /** How long a chase or a twap goes on. */
  readonly lasts: string
  /** The fate of the rest of a chase. */
  readonly rest: 'cancel' | 'market'
  /** Into how many a twap or a scale is cut. */
  readonly slices: string
  /** By how much the slices of a twap vary. */
  readonly random: string
  /** Beyond it a twap leaves slices out. */
  readonly beyond: string
  /** The first and the last price of a scale. */
  readonly from: string
  readonly to: string
  /** Whether more of a scale is near its first or its last price. */
  readonly skew: string
  readonly reduceOnly: boolean
  readonly postOnly: boolean
}

/** The text fields. */
export type TicketField = Exclude<keyof Ticket, 'side' | 'kind' | 'unit' | 'aim' | 'rest' | 'reduceOnly' | 'postOnly'>

export const EMPTY_TICKET: Ticket = {
  side: 'buy',
  kind: 'market',
  size: '',
  unit: 'quote',
  price: '',
  stop: '',
  target: '',

  trigger: '',
  limit: '',
  aim: 'protect',
  reach: '',
  lasts: '',
  rest: 'cancel',
  slices: '',
  random: '',
  beyond: '',
  from: '',
  to: '',
  skew: '',
  reduceOnly: false,
  postOnly: false,
}

// The ticket of this tab; the chart and the book fill it in too.

export interface TicketState extends Ticket {
  /** The line as a person edited it: it, and not the controls, is what runs. */
  readonly typed: string | undefined
  /** The controls show all that the edited line means. */
  readonly isFollowed: boolean
  /** An edited line that a control has replaced, though the controls did not show all that it means. */
  readonly replaced: string | undefined
  /** Narrow windows: the sheet is open. */
  readonly isOpen: boolean
  /** The preview of the line, for its symbol: the chart shows it too. */
  readonly preview: Preview | undefined
  /** The newest preview, for the chart: drawn until the next one has come. */
  readonly drawn: Preview | undefined
  /** The unit before a quick size set its own: the next typed number is in it. */
  readonly ownUnit: SizeUnit | undefined
  /** The size before its unit was switched: switched back, it is the same again. */
  readonly switched: SizeUsed | undefined
  readonly kept: KeptFields
  /** The wish that was sent last: until it is another, the chart has the orders themselves. */
  readonly sent: string | undefined
}

export const useTicket = create<TicketState>(() => ({
  ...EMPTY_TICKET,
  typed: undefined,
  isFollowed: true,
  replaced: undefined,
  isOpen: false,
  preview: undefined,
  drawn: undefined,
  ownUnit: undefined,
  switched: undefined,
  kept: { terms: {} },
  sent: undefined,
}))

/** By a control: the line is written anew. One that the controls did not show can be had back. */
export function editTicket(change: Partial<Ticket>): void {
  useTicket.setState((before) => {
    const edited = { ...mirrored(before, change.side), ...ownFields(before, change) }
    const isSized = edited.size !== undefined || edited.unit !== undefined
    const replaced = before.isFollowed ? before.replaced : before.typed
    return { ...edited, ...(isSized && { switched: undefined }), typed: undefined, isFollowed: true, replaced }
  })
}

const DISTANCE = /^(\s*(?:\$(?:entry|last)\s+)?)([+\-−])/

/** For the other side, a stop or a target at a distance is on the other side of the entry. */
function mirrored(before: Ticket, side: Ticket['side'] = before.side): Partial<Ticket> {
  if (side === before.side) return {}
  const flipped = (text: string) =>
    text.replace(DISTANCE, (_, from: string, sign: string) => from + (sign === '+' ? '-' : '+'))
  return { stop: flipped(before.stop), target: flipped(before.target) }
}

/** What does not go from one form of the ticket to another, as it was last typed in each. */
interface KeptFields {
  /** Of what is held, and of entries. */
  readonly held?: SizeUsed
  readonly entry?: SizeUsed
  readonly terms: { readonly [of in TicketKind]?: Pick<Ticket, 'lasts' | 'slices'> }
}

const NO_TERMS = { lasts: '', slices: '' } as const

/**
 * A position is closed by shares, and added to by money: no figure is carried from one to the other. Neither is a time from a chase to a twap,
 * nor a number of slices from a twap to a scale. Each form of the ticket keeps its own.
 */
function ownFields(before: TicketState, change: Partial<Ticket>): Partial<TicketState> {
  const after = { ...before, ...change }
  const isOtherKind = after.kind !== before.kind
  if (!isOtherKind && after.aim === before.aim) return change
  const { size, unit, lasts, slices } = before
  // A kind without a risk has no size where the risk was left out.
  const hasSize = ofHeld(before) || hasRisk(before) || size !== ''
  const kept: KeptFields = {
    ...before.kept,
    ...(hasSize && { [ofHeld(before) ? 'held' : 'entry']: { size, unit } }),
    terms: { ...before.kept.terms, [before.kind]: { lasts, slices } },
  }
  const terms = isOtherKind ? (kept.terms[after.kind] ?? NO_TERMS) : {}
  return { ...terms, ...change, ...(change.size === undefined ? ownSize(before, after, kept) : {}), kept }
}

function ownSize(before: TicketState, after: Ticket, { held, entry }: KeptFields): Partial<TicketState> {
  const isOfHeld = ofHeld(after)
  // Only an order with a stop of its own has a risk.
  const isRiskLost = after.unit === 'risk' && !hasRisk(after)
  const isRiskBack = before.size === '' && entry?.unit === 'risk' && hasRisk(after)
  if (ofHeld(before) === isOfHeld && !isRiskLost && !isRiskBack) return {}
  const own = isOfHeld ? held : entry?.unit === 'risk' && !hasRisk(after) ? undefined : entry
  return { size: '', unit: isOfHeld ? 'percent' : 'quote', ...own, ownUnit: undefined }
}

export function hasRisk({ kind }: Pick<Ticket, 'kind'>): boolean {
  return kind === 'market' || kind === 'limit'
}

/** By the keyboard: a typed `$` or `%` or coin sets the unit. Without one, a quick size's unit goes with it. */
export function typeSize(text: string, base: string | undefined): void {
  const { unit, ownUnit } = useTicket.getState()
  editTicket(typedSize(text, ownUnit ?? unit, base))
  useTicket.setState({ ownUnit: undefined })
}

/** @param unit of a text that names none @param base the market's coin, in capitals */
export function typedSize(text: string, unit: SizeUnit, base: string | undefined): SizeUsed {
  const typed = text.trim()
  const [, risked] = /^risk\s*(.*)$/i.exec(typed) ?? []
  if (risked !== undefined) return { size: risked, unit: 'risk' }
  if (unit === 'risk') return { size: text, unit }
  if (typed.startsWith('$')) return { size: typed.slice(1).trimStart(), unit: 'quote' }
  if (typed.endsWith('$')) return { size: typed.slice(0, -1).trimEnd(), unit: 'quote' }
  if (typed.endsWith('%')) return { size: typed.slice(0, -1).trimEnd(), unit: 'percent' }
  const [, number, word = ''] = /^([\d.,]+k?)\s*([a-z]+)$/i.exec(typed) ?? []
  if (number !== undefined && /^(?:usd[tc]?|u)$/i.test(word)) return { size: number, unit: 'quote' }
  if (number !== undefined && word.toUpperCase() === base) return { size: number, unit: 'base' }
  return { size: text, unit }
}

export function chooseQuickSize(used: SizeUsed): void {
  const { unit, ownUnit } = useTicket.getState()
  editTicket(used)
  useTicket.setState({ ownUnit: ownUnit ?? unit })
}

/** The same size in another unit; empty where hookline's figures do not give it. */
export function switchUnit(unit: SizeUnit, facts: SizeFacts): void {
  const { size, unit: before, switched, preview, reduceOnly, kind, aim } = useTicket.getState()
  if (unit === before) return
  const first = switched ?? { size, unit: before }
  const known = { ...facts, preview, free: reduceOnly || ofHeld({ kind, aim }) ? undefined : facts.free }
  editTicket({ unit, size: first.unit === unit ? first.size : converted(size, before, unit, known) })
  useTicket.setState({ ownUnit: undefined, switched: first })
}

export type SizeUsed = Pick<Ticket, 'size' | 'unit'>

interface SizeFacts {
  readonly market: MarketRow | undefined
  readonly last: string | undefined
  /** Of the line of this size. */
  readonly preview?: Preview | undefined
  /** What a percentage of an entry is of. */
  readonly free?: string | undefined
}

/** @returns empty: it is not known */
function converted(size: string, from: SizeUnit, to: SizeUnit, { market, last, preview, free }: SizeFacts): string {
  const [order, second] = preview?.orders ?? []
  if (order !== undefined && second === undefined && order.refused === undefined) return sizeOf(order, to, free)
  const isPlain = /^\d+(?:\.\d+)?$/.test(size.trim())
  if (!isPlain || last === undefined || market?.amountUnit !== 'base') return ''
  if (from === 'base' && to === 'quote') return orNone(cut(product(size.trim(), last), 2))
  if (from === 'quote' && to === 'base') return orNone(share(size.trim(), last, market.lotSize))
  return ''
}

/** By hookline's figures. */
function sizeOf(
  { amount, notional, stop }: Pick<PreviewOrder, 'amount' | 'notional' | 'stop'>,
  to: SizeUnit,
  free: string | undefined,
): string {
  if (to === 'base') return withoutZeros(amount)
  if (to === 'risk') return stop?.net?.startsWith('-') === true ? orNone(cut(stop.net.slice(1), 2)) : ''
  if (notional === undefined) return ''
  return to === 'quote' ? withoutZeros(cut(notional, 2)) : percentageOf(notional, free)
}

/** Down to two digits. */
function percentageOf(part: string, whole: string | undefined): string {
  if (whole === undefined || !/^[\d.]*[1-9]/.test(whole)) return ''
  const scale = Math.max(scaleOf(part), scaleOf(whole))
  return orNone(unscaled((unitsOf(part, scale) * 10_000n) / unitsOf(whole, scale), 2))
}

function product(a: string, b: string): string {
  const [x, y] = [scaleOf(a), scaleOf(b)]
  return unscaled(unitsOf(a, x) * unitsOf(b, y), x + y)
}

/** `whole` over `price`, down to a multiple of `lot`. */
function share(whole: string, price: string, lot: string): string {
  const digits = scaleOf(lot)
  const [step, by] = [unitsOf(lot, digits), unitsOf(price, scaleOf(price))]
  if (step === 0n || by === 0n) return '0'
  const scale = digits + scaleOf(price)
  const amount = (unitsOf(whole, scaleOf(whole)) * 10n ** BigInt(scale)) / 10n ** BigInt(scaleOf(whole)) / by
  return unscaled((amount / step) * step, digits)
}

const cut = (figure: string, digits: number) => unscaled(unitsOf(figure, digits), digits)
const orNone = (figure: string) => (/[1-9]/.test(figure) ? withoutZeros(figure) : '')

function ofHeld({ kind, aim }: Pick<Ticket, 'kind' | 'aim'>): boolean {
  return kind === 'stop' && aim === 'protect'
}

/** A field or the line has text: the ticket must not move to another account or symbol. */
export function isFilled(state: TicketState): boolean {
  return (state.typed ?? '').trim() !== '' || TEXTS.some((field) => state[field].trim() !== '')
}

const TEXTS: readonly TicketField[] = [
  ...(['size', 'price', 'stop', 'target', 'trigger', 'limit', 'reach', 'lasts'] as const),
  ...(['slices', 'random', 'beyond', 'from', 'to', 'skew'] as const),
]

/** @param side undefined: as it is filled in */
export function openTicket(side?: Ticket['side']): void {
  if (side !== undefined) editTicket({ side })
  useTicket.setState({ isOpen: true })
}

export function closeTicket(): void {
  useTicket.setState({ isOpen: false })
}

// A double press is one wish: the same line is sent again only some time after its answer, and after the last press that came too early.

const REPEAT_MS = 1_000

export interface SentLine {
  /** Line, account and symbol. */
  readonly wish: string
  /** ms since the epoch. */
  readonly closedUntil: number
}

export function sentLine(wish: string, now: number): SentLine {
  return { wish, closedUntil: now + REPEAT_MS }
}

export function isTooEarly(sent: SentLine | undefined, wish: string, now: number): boolean {
  return sent?.wish === wish && now < sent.closedUntil
}
