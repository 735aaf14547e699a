// Figures on the page: aligned, signed, and marked where they may be old.
import type { ReactNode } from 'react'
import { showMoney, showPrice, showSignedMoney, toneOf } from '../figures.ts'

interface FigureProps {
  readonly isStale?: boolean
}

/** Anything that may be old. */
export function MaybeStale({ isStale = false, children }: FigureProps & { readonly children: ReactNode }) {
  return <span className={isStale ? 'figure stale' : 'figure'}>{children}</span>
}

/** @param like a price of the same market, whose digits say its tick */
export function Price({
  text,
  like = text,
  isStale = false,
}: FigureProps & { readonly text: string; readonly like?: string }) {
  return <MaybeStale isStale={isStale}>{showPrice(text, like)}</MaybeStale>
}

export function Money({ text, isStale = false }: FigureProps & { readonly text: string }) {
  return <MaybeStale isStale={isStale}>{showMoney(text)}</MaybeStale>
}

/** A gain or a loss: its sign is always written. */
export function Gain({ text, isStale = false }: FigureProps & { readonly text: string }) {
  return (
    <span className={toneOf(text)}>
      <MaybeStale isStale={isStale}>{showSignedMoney(text)}</MaybeStale>
    </span>
  )
}
