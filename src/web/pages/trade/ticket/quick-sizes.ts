// Sizes of one click or one key: those that people chose for this browser, and those that were used last in it.
import { create } from 'zustand'
import { readJson, writeJson } from '../../../../client/text-storage.ts'
import { toast } from '../../../components/toasts.tsx'
import { chooseQuickSize, editTicket, type SizeUnit, type SizeUsed, typedSize, useTicket } from './ticket.ts'

const OWN_KEY = 'hookline.own-sizes'
const LAST_KEY = 'hookline.sizes'
const UNITS: readonly SizeUnit[] = ['quote', 'base', 'percent', 'risk']
/** The keys 1 to 9. */
const MOST_OWN = 9
const KEPT = 3
const SHARES: readonly SizeUsed[] = ['25', '50', '100'].map((size) => ({ size, unit: 'percent' }))

interface QuickSizes {
  readonly own: readonly SizeUsed[]
  /** Newest first; none that is among the own. */
  readonly last: readonly SizeUsed[]
}

export const useQuickSizes = create<QuickSizes>(() => {
  const own = stored(OWN_KEY, MOST_OWN)
  return { own: own.length === 0 ? SHARES : own, last: stored(LAST_KEY, KEPT) }
})

/** @param own empty: the shares that every browser begins with */
export function setOwnSizes(own: readonly SizeUsed[]): void {
  const { last } = useQuickSizes.getState()
  useQuickSizes.setState({ own: own.length === 0 ? SHARES : own, last: last.filter((each) => !isAmong(own, each)) })
  writeJson(OWN_KEY, own)
}

/** As they are typed, with commas: `$250, 5 %, 0.1 coin, risk 1 %`. @returns undefined: one of them is not a size with a unit */
export function ownSizesOf(text: string): readonly SizeUsed[] | undefined {
  const words = text.split(/[,;\n]/).map((word) =>
    word
      .trim()
      .replace(/\s+%/g, '%')
      .replace(/^risk \$/i, 'risk '),
  )
  const sizes: SizeUsed[] = []
  for (const word of words.filter((each) => each !== '')) {
    // A bare number could be dollars, coins or percent.
    const size = /^[\d.]+$/.test(word) ? undefined : typedSize(word, 'base', COIN)
    if (!isSize(size) || (size.unit === 'base' && !/[a-z]$/i.test(word))) return undefined
    if (!isAmong(sizes, size)) sizes.push(size)
  }
  return sizes.length > MOST_OWN ? undefined : sizes
}

/** The coin of whatever market is shown. */
const COIN = 'COIN'

/** @param base the coin of the market */
export function sizeText({ size, unit }: SizeUsed, base = 'coin'): string {
  const risk = `risk ${size.endsWith('%') ? size.replace('%', ' %') : `$${size}`}`
  return { quote: `$${size}`, base: `${size} ${base}`, percent: `${size} %`, risk }[unit]
}

/**
 * By its key, which sizes used last have not. It replaces no size or line of a person. A key without a size leaves none: the Enter after it
 * orders nothing. @param at from 1 @returns the ticket has taken the key
 */
export function chooseOwnSize(at: number): boolean {
  const { own, last } = useQuickSizes.getState()
  const { size, unit, ownUnit, typed } = useTicket.getState()
  const isQuick = ownUnit !== undefined && isAmong([...own, ...last], { size, unit })
  if ((size.trim() !== '' && !isQuick) || (typed ?? '').trim() !== '') {
    toast({ tone: 'warn', text: `Key ${at} replaces only a quick size. Clear the size first.` })
    return false
  }
  const chosen = own[at - 1]
  if (chosen !== undefined) chooseQuickSize(chosen)
  else {
    editTicket({ size: '' })
    toast({ tone: 'warn', text: `Key ${at} has no size. Set one by \`edit\` beside the quick sizes.` })
  }
  return true
}

export function noteSize(used: SizeUsed): void {
  const { own, last } = useQuickSizes.getState()
  const sizes = withSize(last, used, own)
  useQuickSizes.setState({ last: sizes })
  writeJson(LAST_KEY, sizes)
}

/** Newest first, each once. */
export function withSize(
  known: readonly SizeUsed[],
  { size, unit }: SizeUsed,
  own: readonly SizeUsed[] = SHARES,
): readonly SizeUsed[] {
  const used = { size: size.trim(), unit }
  if (used.size === '' || isAmong(own, used)) return known
  return [used, ...known.filter((each) => !isAmong([used], each))].slice(0, KEPT)
}

function isAmong(sizes: readonly SizeUsed[], { size, unit }: SizeUsed): boolean {
  return sizes.some((each) => each.size === size && each.unit === unit)
}

function stored(key: string, most: number): readonly SizeUsed[] {
  const rows = readJson(key)
  return Array.isArray(rows) ? rows.filter(isSize).slice(0, most) : []
}

function isSize(row: unknown): row is SizeUsed {
  if (typeof row !== 'object' || row === null) return false
  const { size, unit } = row as Record<string, unknown>
  if (typeof size !== 'string' || !UNITS.some((each) => each === unit)) return false
  const figure = unit === 'risk' ? size.replace(/%$/, '') : size
  return /^(?=.*[1-9])\d{0,15}(?:\.\d{1,15})?$/.test(figure)
}
