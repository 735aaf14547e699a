// Before this browser has ever been let in: what hookline is, and three steps that tick by themselves.

import { lazy, Suspense } from 'react'
import { Icon, Mark } from '../components/icon.tsx'
import { useSignedInAs } from '../offline-copy.ts'
import { useConsole, useDesk } from '../state/use-console.ts'
import { hasAnswered } from './advice.ts'
import { ADVICE_ID, AdviceView, ConnectionBadge, useAdvice } from './connection-badge.tsx'

const DevicesPane = lazy(async () => ({ default: (await import('../sign-in/devices-pane.tsx')).DevicesPane }))

type Progress = 'done' | 'now' | 'later'

export function FirstVisit() {
  const account = useSignedInAs()
  const { clientId } = useConsole()
  const advice = useAdvice()
  const name = useDesk(({ connection }) => connection.name)
  const isRunning = useDesk(hasAnswered)
  const isAsked = name === 'awaiting-approval'
  return (
    <div className="scrolls first">
      <header className="first-head">
        <ConnectionBadge isInline />
      </header>
      <main className="gap-5 grid first-page" data-region="First visit">
        <span className="first-mark">
          <Mark />
        </span>
        <h1>Connect this page to your hookline.</h1>
        <p className="text-4 muted first-lead">
          hookline trades from a terminal on this machine. Once you approve it, this page shows the same and runs the
          same commands. Your keys never leave the machine.
        </p>
        <div className="grid first-columns">
          <ol className="boxed surface first-steps">
            <Step at={1} progress={isRunning ? 'done' : 'now'} title="hookline is running">
              {isRunning ? 'Found at 127.0.0.1:53219.' : 'Not found yet.'}
            </Step>
            <Step at={2} progress={isAsked ? 'now' : 'later'} title="Type y in its terminal">
              It shows the same lines as this page. If they differ, type&nbsp;n.
            </Step>
            <Step at={3} progress="later" title="Make a first trade, with simulated money">
              Simulated USDT: one click, no real money.
            </Step>
          </ol>
          <section
            id={ADVICE_ID}
            className={`boxed surface first-advice ${advice.tone}`}
            aria-labelledby="advice-title"
            tabIndex={-1}
          >
            <AdviceView advice={advice} {...(isAsked ? { picture: <TerminalPicture /> } : {})} />
          </section>
        </div>
        {account !== undefined && (
          <Suspense>
            <DevicesPane account={account} />
          </Suspense>
        )}
        <p className="text-2 cluster muted first-foot">
          <span>Nothing runs, and nothing is stored here, until you type y.</span>
          <span>
            Revoke this page at any time: <code>clients revoke {clientId.slice(0, 8)}</code>
          </span>
          {account !== undefined && (
            <span>Signed in as {account.email || 'an account without a verified address'}.</span>
          )}
        </p>
      </main>
    </div>
  )
}

interface StepProps {
  readonly at: number
  readonly progress: Progress
  readonly title: string
  readonly children: string
}

function Step({ at, progress, title, children }: StepProps) {
  return (
    <li className="top row" data-progress={progress} aria-current={progress === 'now' ? 'step' : undefined}>
      <span className="rigid circle text-2 centred grid muted first-tick">
        {progress === 'done' ? <Icon name="check" size={16} /> : at}
      </span>
      <div>
        <b className="text-4">
          {title}
          {progress === 'done' && <span className="visually-hidden">, done</span>}
        </b>
        <p className="muted">{children}</p>
      </div>
    </li>
  )
}

/** As the question looks where it is asked. */
function TerminalPicture() {
  const { clientId, label, key } = useConsole()
  const lines = [
    'a web page asks to run commands here:',
    `  label   ${label}`,
    `  origin  ${location.origin}`,
    `  client  ${clientId.slice(0, 8)}`,
    `  proof   ${key === undefined ? 'cannot prove itself' : 'proves itself with a key'}`,
    'approve it? y or n',
  ]
  return (
    <figure className="boxed scrolls sunken first-terminal">
      <figcaption className="ruled text-2 muted">your terminal</figcaption>
      <pre>{lines.join('\n')}</pre>
    </figure>
  )
}
