import { create } from 'zustand'
import { readJson, writeJson } from '../../../../client/text-storage.ts'
import type { Preview } from '../../../../protocol/preview.ts'

// The fields of a ticket.
export type SizeUnit = 'quote' | 'base' | 'percent'

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
  /** Narrow windows: the sheet is open. */
  readonly isOpen: boolean
  /** The preview of the line, for its symbol: the chart shows it too. */
  readonly preview: Preview | undefined
}

export const useTicket = create<TicketState>(() => ({
  ...EMPTY_TICKET,
  typed: undefined,
  isFollowed: true,
  isOpen: false,
  preview: undefined,
}))

/** By a control: the line is written anew. */
export function editTicket(change: Partial<Ticket>): void {
  useTicket.setState((before) => ({ ...change, ...sizeFor(before, change), typed: undefined, isFollowed: true }))
}

/** A position is closed by shares, and added to by money: no figure is carried from one to the other. */
function sizeFor(before: Ticket, change: Partial<Ticket>): Partial<Ticket> {
  const isOfHeld = ofHeld({ ...before, ...change })
  if (change.size !== undefined || ofHeld(before) === isOfHeld) return {}
  return { size: '', unit: isOfHeld ? 'percent' : 'quote' }
}

function ofHeld({ kind, aim }: Pick<Ticket, 'kind' | 'aim'>): boolean {
  return kind === 'stop' && aim === 'protect'
}

export function openTicket(side: Ticket['side']): void {
  useTicket.setState({ side, typed: undefined, isFollowed: true, isOpen: true })
}

export function closeTicket(): void {
  useTicket.setState({ isOpen: false })
}

// The sizes that were used last, for one click. In this browser only.

type SizeUsed = Pick<Ticket, 'size' | 'unit'>

const KEY = 'hookline.sizes'
const KEPT = 3
const UNITS: readonly SizeUnit[] = ['quote', 'base', 'percent']
/** These have buttons of their own. */
export const QUICK_SHARES: readonly string[] = ['25', '50', '100']

export const useLastSizes = create<{ readonly sizes: readonly SizeUsed[] }>(() => ({ sizes: stored() }))

export function noteSize(used: SizeUsed): void {
  const sizes = withSize(useLastSizes.getState().sizes, used)
  useLastSizes.setState({ sizes })
  writeJson(KEY, sizes)
}

/** Newest first, each once. */
export function withSize(known: readonly SizeUsed[], { size, unit }: SizeUsed): readonly SizeUsed[] {
  const text = size.trim()
  if (text === '' || (unit === 'percent' && QUICK_SHARES.includes(text))) return known
  const others = known.filter((each) => each.size !== text || each.unit !== unit)
  return [{ size: text, unit }, ...others].slice(0, KEPT)
}

function stored(): readonly SizeUsed[] {
  const rows = readJson(KEY)
  return Array.isArray(rows) ? rows.filter(isSize).slice(0, KEPT) : []
}

function isSize(row: unknown): row is SizeUsed {
  if (typeof row !== 'object' || row === null) return false
  const { size, unit } = row as Record<string, unknown>
  return typeof size === 'string' && /^[\d.]{1,20}$/.test(size) && UNITS.some((each) => each === unit)
}
