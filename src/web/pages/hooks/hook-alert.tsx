// What to put into the charting platform, or whatever else fires the hook: the message that fills the slots, and the address.
import { useState } from 'react'
import { alertMessage } from '../../../language/alert-message.ts'
import { sampleValues } from '../../../language/hook-chain.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../../protocol/address.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { Block } from './hook-block.tsx'
import { hookWord, slotsOf } from './hook-lines.ts'

const FORMS = [
  { id: 'alert-tradingview', title: 'TradingView' },
  { id: 'alert-json', title: 'JSON' },
  { id: 'alert-pairs', title: 'key=value' },
  { id: 'alert-curl', title: 'curl' },
] as const satisfies readonly Tab<string>[]
type Form = (typeof FORMS)[number]['id']

export function HookAlert({ hook }: { readonly hook: HookRow }) {
  const { id, name, command } = hook
  const slots = slotsOf(command)
  const message = alertMessage(slots)
  const forms = message === undefined ? FORMS.slice(-1) : FORMS
  const [chosen, setChosen] = useState<Form>('alert-tradingview')
  const shown = forms.find((form) => form.id === chosen) ?? forms[0]
  const [values = {}] = sampleValues(slots)
  const texts: Record<Form, string> = {
    'alert-tradingview': pretty(message?.json ?? '{}'),
    'alert-json': pretty(JSON.stringify(values)),
    'alert-pairs': message?.pairs ?? '',
    'alert-curl': curlLine(id, message === undefined ? undefined : JSON.stringify(values)),
  }
  const { title } = shown ?? FORMS[3]
  const text = texts[shown?.id ?? 'alert-curl']
  return (
    <Block
      title="Alert message"
      action={<Tabs label="Form of the message" tabs={forms} shown={shown?.id ?? 'alert-curl'} onShow={setChosen} />}
    >
      {message === undefined && <p className="muted">It has no slots: whatever the alert says is ignored.</p>}
      <div className="alert-message" role="tabpanel" id={`tabpanel-${shown?.id}`} aria-labelledby={`tab-${shown?.id}`}>
        <pre>{text}</pre>
        <div className="alert-foot">
          <code className="cut muted">{addressOf(id)}</code>
          <CopyButton text={text} label={title === 'curl' ? 'Copy curl' : 'Message'} name={copyName(title, name)} />
          <CopyButton text={addressOf(id)} label="Address" name={`Copy address of hook ${name}`} />
        </div>
      </div>
      <span className="line-to-type muted">
        The token is shown in the hookline terminal only: <code>{`hook show ${hookWord(hook)}`}</code>
      </span>
    </Block>
  )
}

function copyName(title: string, hook: string): string {
  return title === 'curl' ? `Copy curl line of hook ${hook}` : `Copy ${title} message of hook ${hook}`
}

function addressOf(id: string): string {
  return `http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${id}`
}

/** Ready to paste, but for the token. Names and values of slots have no apostrophe. */
function curlLine(id: string, body: string | undefined): string {
  const data = body === undefined ? '' : `-d '${body}' `
  return `curl -sS -X POST -H 'X-Hook-Token: <token>' ${data}${addressOf(id)}`
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}
