// The badge in the header, and its popover with what to do next; before the first pairing that is part of the page.
import { type ReactNode, useState } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { useServed } from '../offline-copy.ts'
import { useConsole, useDesk, useDeskParts, useNow } from '../state/use-console.ts'
import { type Advice, type AdviceAction, adviseConnection, browserOf } from './advice.ts'

export const ADVICE_ID = 'connection-advice'

/** @param isInline the advice is part of the page: the badge only says what is so */
export function ConnectionBadge({ isInline = false }: { readonly isInline?: boolean }) {
  const advice = useAdvice()
  return (
    <div className="relative rigid connection">
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
        className={`gap-3 nowrap text-2 row badge ${advice.tone}`}
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
      className={`gap-3 nowrap text-2 row badge ${advice.tone}`}
      onClick={() => document.getElementById(ADVICE_ID)?.focus()}
    >
      <BadgeText advice={advice} />
    </button>
  )
}

function BadgeText({ advice }: { readonly advice: Advice }) {
  return (
    <>
      <span className="rigid circle dot" aria-hidden="true" />
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

// --- one piece of advice, laid out: what is so, what to do, what to copy, what to press.

const BUTTON: Readonly<Record<AdviceAction, { readonly text: string; readonly look: string }>> = {
  connect: { text: 'Connect', look: 'primary' },
  retry: { text: 'Try now', look: 'primary' },
  check: { text: 'Check again', look: 'primary' },
  disconnect: { text: 'Disconnect', look: '' },
  'accept-listener': { text: 'Accept this hookline', look: 'danger' },
  'stay-away': { text: 'Stay away', look: '' },
}

interface AdviceViewProps {
  readonly advice: Advice
  /** In place of the values: it shows the same. */
  readonly picture?: ReactNode
}

export function AdviceView({ advice, picture }: AdviceViewProps) {
  const act = useActions()
  return (
    <>
      <h2 id="advice-title">{advice.title}</h2>
      {picture}
      {advice.values && picture === undefined && (
        <dl className="raised facts values">
          {advice.values.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      {advice.steps.map((step) => (
        <p key={step}>{step}</p>
      ))}
      {advice.lines?.map(({ where, text }) => (
        <div className="raised grid copy-line" key={text}>
          <span className="text-1 muted">{where}</span>
          <code className="breaks">{text}</code>
          <CopyButton text={text} name={`Copy ${text}`} />
        </div>
      ))}
      {advice.retryAt !== undefined && <NextAttempt retryAt={advice.retryAt} />}
      <div className="cluster advice-actions">
        {advice.actions.map((action) => (
          <button key={action} type="button" className={`button ${BUTTON[action].look}`} onClick={() => act(action)}>
            {BUTTON[action].text}
          </button>
        ))}
      </div>
    </>
  )
}

function useActions(): (action: AdviceAction) => void {
  const console = useConsole()
  const connection = useDesk((state) => state.connection)
  return (action) => {
    switch (action) {
      case 'connect':
      case 'retry':
      case 'check':
        return void console.connect()
      case 'disconnect':
      case 'stay-away':
        return console.disconnect()
      case 'accept-listener':
        if (connection.name === 'other-listener') console.acceptListener(connection.got)
        if (connection.name === 'unproven-listener' && connection.got) console.acceptListener(connection.got)
    }
  }
}

function NextAttempt({ retryAt }: { readonly retryAt: number }) {
  const now = useNow(true)
  const seconds = Math.max(0, Math.ceil((retryAt - now) / 1_000))
  return <p className="muted figure-left">{seconds === 0 ? 'Trying now.' : `Next attempt in ${seconds} s.`}</p>
}
