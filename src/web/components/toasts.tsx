// Short news at the foot, over nothing that can be pressed: one at a time, failures first and longer, the same text again is counted.
import { useEffect } from 'react'
import { Link } from 'wouter'
import { create } from 'zustand'
import { Icon } from './icon.tsx'
import { Words } from './words.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'success' | 'warn' | 'error'
  readonly text: string
  /** A sentence of its own, below. */
  readonly more?: string | undefined
  readonly runId?: string | undefined
  /** Its button: the toast stays until it is pressed or closed. */
  readonly action?: { readonly name: string; readonly act: () => void }
  readonly times: number
}

const MOST = 3
const STAYS_MS = { success: 6_000, warn: 6_000, error: 12_000 } as const

interface Toasts {
  readonly shown: readonly Toast[]
  readonly lastId: number
}

const useToasts = create<Toasts>(() => ({ shown: [], lastId: 0 }))

export function toast(news: Omit<Toast, 'id' | 'times'>): void {
  useToasts.setState(({ shown, lastId }) => {
    const id = lastId + 1
    const same = shown.find(({ text, tone }) => text === news.text && tone === news.tone)
    const others = shown.filter((each) => each !== same)
    return { lastId: id, shown: fewest([...others, { ...news, id, times: (same?.times ?? 0) + 1 }]) }
  })
}

/** A toast with a button is never dropped. */
function fewest(all: readonly Toast[]): readonly Toast[] {
  return all.filter(({ action }, index) => action !== undefined || index >= all.length - MOST)
}

function dismiss(id: number): void {
  useToasts.setState(({ shown }) => ({ shown: shown.filter((each) => each.id !== id) }))
}

export function ToastList() {
  const shown = useToasts((state) => state.shown)
  const failures = shown.filter(({ tone }) => tone === 'error')
  // All are others to screen readers; the last one is seen.
  const others = [...shown.filter(({ tone }) => tone !== 'error'), ...failures]
  return (
    <div className="relative row toasts" role="status" aria-label="News">
      {others.map((each, index) => (
        <ToastCard key={each.id} {...each} others={index === others.length - 1 ? index : 0} />
      ))}
    </div>
  )
}

function ToastCard({ id, tone, text, more, runId, action, times, others }: Toast & { readonly others: number }) {
  const stays = action !== undefined
  useEffect(() => {
    if (stays) return undefined
    const timer = setTimeout(() => dismiss(id), STAYS_MS[tone])
    return () => clearTimeout(timer)
  }, [id, tone, stays])
  // A narrow screen cuts the end: what was done may be cut, and not the warning.
  const isMoreFirst = more !== undefined && tone === 'warn'
  return (
    <div className={`fill gap-5 row toast ${tone}`}>
      <p className="fill clamped" title={more === undefined ? text : `${text}\n${more}`}>
        {isMoreFirst && <Words text={`${more} `} />}
        <Words text={text} />
        {times > 1 && <span className="muted">{` ×${times}`}</span>}
        {more !== undefined && !isMoreFirst && (
          <span className="toned warn">
            {' '}
            <Words text={more} />
          </span>
        )}
      </p>
      {others > 0 && <span className="muted nowrap">and {others} more</span>}
      {runId !== undefined && (
        <Link className="nowrap" href={`/journal/${runId}`}>
          Open run
        </Link>
      )}
      {action !== undefined && (
        <button type="button" className="button small nowrap" onClick={action.act}>
          {action.name}
        </button>
      )}
      <button type="button" className="button icon small" aria-label="Close this news" onClick={() => dismiss(id)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}
