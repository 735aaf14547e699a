// The badge in the header, and its popover with what to do next; before the first pairing that is part of the page.
import { useState } from 'react'
import { useServed } from '../offline-copy/use-copy.ts'
import { useConsole, useDeskParts } from '../use-console.ts'
import { useNow } from '../use-now.ts'
import type { Advice } from './advice.ts'
import { AdviceView } from './advice-view.tsx'
import { adviseConnection } from './advise-connection.ts'
import { browserOf } from './browser.ts'

export const ADVICE_ID = 'connection-advice'

/** @param isInline the advice is part of the page: the badge only says what is so */
export function ConnectionBadge({ isInline = false }: { readonly isInline?: boolean }) {
  const advice = useAdvice()
  return (
    <div className="connection">
      {isInline ? <InlineBadge advice={advice} /> : <BadgeWithAdvice advice={advice} />}
      <p className="visually-hidden" role="status" aria-live="polite">
        {advice.title}
      </p>
    </div>
  )
}

function BadgeWithAdvice({ advice }: { readonly advice: Advice }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={`badge ${advice.tone}`}
        popoverTarget={ADVICE_ID}
        aria-expanded={isOpen}
        aria-controls={ADVICE_ID}
      >
        <BadgeText advice={advice} />
      </button>
      <div
        id={ADVICE_ID}
        className={`advice ${advice.tone}`}
        popover="auto"
        role="dialog"
        aria-labelledby="advice-title"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        <AdviceView advice={advice} />
      </div>
    </>
  )
}

function InlineBadge({ advice }: { readonly advice: Advice }) {
  return (
    <button
      type="button"
      className={`badge ${advice.tone}`}
      onClick={() => document.getElementById(ADVICE_ID)?.focus()}
    >
      <BadgeText advice={advice} />
    </button>
  )
}

function BadgeText({ advice }: { readonly advice: Advice }) {
  return (
    <>
      <span className="dot" aria-hidden="true" />
      <span className="badge-text">
        <span className="visually-hidden">Connection: </span>
        {advice.badge}
      </span>
      <Countdown retryAt={advice.retryAt} />
    </>
  )
}

export function useAdvice(): Advice {
  const { hasBeenIn: wasIn, ...state } = useDeskParts(
    'connection',
    'access',
    'isProbing',
    'isSlow',
    'hasBeenIn',
    'silentSince',
  )
  const { clientId, label, key } = useConsole()
  const browser = browserOf(navigator.userAgent, 'brave' in navigator)
  const isServed = useServed((each) => each.isServed)
  const { origin } = location
  return adviseConnection({ ...state, clientId, label, key, origin, browser, wasIn, isServed })
}

function Countdown({ retryAt }: { readonly retryAt: number | undefined }) {
  const now = useNow(retryAt !== undefined)
  if (retryAt === undefined) return null
  return (
    <span className="countdown figure" aria-hidden="true">
      {Math.max(0, Math.ceil((retryAt - now) / 1_000))} s
    </span>
  )
}
