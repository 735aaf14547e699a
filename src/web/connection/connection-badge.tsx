// The badge in the header, and its popover with what to do next. It opens by itself when a person is needed, and never takes focus.
import { useEffect, useRef, useState } from 'react'
import { useConsole, useConsoleState } from '../use-console.ts'
import { useNow } from '../use-now.ts'
import type { Advice } from './advice.ts'
import { AdviceView } from './advice-view.tsx'
import { adviseConnection } from './advise-connection.ts'
import { browserOf } from './browser.ts'

const POPOVER = 'connection-advice'

export function ConnectionBadge() {
  const advice = useAdvice()
  const ref = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  // By the badge's words: the countdown and the attempts in between are not worth opening it again.
  const pressing = advice.isPressing ? advice.badge : undefined
  useEffect(() => {
    if (pressing !== undefined) ref.current?.showPopover()
    else ref.current?.hidePopover()
  }, [pressing])
  return (
    <div className="connection">
      <button
        type="button"
        className={`badge ${advice.tone}`}
        popoverTarget={POPOVER}
        aria-expanded={isOpen}
        aria-controls={POPOVER}
      >
        <span className="dot" aria-hidden="true" />
        <span className="badge-text">
          <span className="visually-hidden">Connection: </span>
          {advice.badge}
        </span>
        <Countdown retryAt={advice.retryAt} />
      </button>
      <div
        ref={ref}
        id={POPOVER}
        className={`advice ${advice.tone}`}
        popover="auto"
        role="dialog"
        aria-labelledby="advice-title"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        <AdviceView advice={advice} />
      </div>
      <p className="visually-hidden" role="status" aria-live="polite">
        {advice.title}
      </p>
    </div>
  )
}

function useAdvice(): Advice {
  const { connection, access, isProbing, isSlow } = useConsoleState()
  const { clientId, label, key } = useConsole()
  const browser = browserOf(navigator.userAgent, 'brave' in navigator)
  const { origin } = location
  return adviseConnection({ connection, access, isProbing, isSlow, clientId, label, key, origin, browser })
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
