// One piece of advice, laid out: what is so, what to do, what to copy, what to press.
import type { ReactNode } from 'react'
import { CopyButton } from '../components/copy-button.tsx'
import { useConsole, useDesk } from '../use-console.ts'
import { useNow } from '../use-now.ts'
import type { Advice, AdviceAction } from './advice.ts'

const BUTTON: Readonly<Record<AdviceAction, { readonly text: string; readonly look: string }>> = {
  connect: { text: 'Connect', look: 'primary' },
  retry: { text: 'Try now', look: 'primary' },
  disconnect: { text: 'Disconnect', look: '' },
  'accept-listener': { text: 'Accept this hookline', look: 'danger' },
  'stay-away': { text: 'Stay away', look: 'primary' },
}

export interface AdviceViewProps {
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
        <dl className="values">
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
        <div className="copy-line" key={text}>
          <span>{where}</span>
          <code>{text}</code>
          <CopyButton text={text} name={`Copy ${text}`} />
        </div>
      ))}
      {advice.retryAt !== undefined && <NextAttempt retryAt={advice.retryAt} />}
      <div className="advice-actions">
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
