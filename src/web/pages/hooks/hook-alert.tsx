// What to put into the charting platform: the slots, and the message that fills them.
import { alertMessage } from '../../../language/alert-message.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../../protocol/address.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Block } from './hook-block.tsx'
import { hookWord, slotsOf, takes } from './hook-lines.ts'

export function HookAlert({ hook }: { readonly hook: HookRow }) {
  const slots = slotsOf(hook.command)
  const message = alertMessage(slots)
  const show = `hook show ${hookWord(hook)}`
  return (
    <Block title="Alert message">
      {message === undefined ? (
        <p className="muted">It has no slots: whatever the alert says is ignored.</p>
      ) : (
        <>
          <dl className="slots">
            {slots.map((slot) => (
              <div key={slot.name}>
                <dt>
                  <code>{slot.name}</code>
                </dt>
                <dd>{takes(slot)}</dd>
              </div>
            ))}
          </dl>
          <div className="run-command">
            <code>{message.json}</code>
            <CopyButton text={message.json} label="Copy JSON" name={`Copy JSON message of ${hook.name}`} />
            <CopyButton text={message.pairs} label="Copy pairs" name={`Copy pairs message of ${hook.name}`} />
          </div>
        </>
      )}
      <span className="line-to-type muted">
        <CopyButton text={curlLine(hook.id)} label="Copy curl" name={`Copy curl line of hook ${hook.name}`} />
        The token is shown in the hookline terminal only: <code>{show}</code>
      </span>
    </Block>
  )
}

/** Ready to paste, but for the token. */
function curlLine(id: string): string {
  return `curl -sS -X POST -H 'X-Hook-Token: <token>' http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${id}`
}
