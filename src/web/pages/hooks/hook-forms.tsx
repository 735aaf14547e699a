import { type FormEvent, useState } from 'react'
import type { AccountRow, HookRow } from '../../../protocol/frames.ts'
import { Dialog } from '../../components/dialog.tsx'
import { focusOf, scopeOf } from '../../state/console-state.ts'
import { useDesk } from '../../state/use-console.ts'
import { CommandField } from './editor/command-field.tsx'
import {
  createLine,
  editLine,
  LIMIT_FIELDS,
  type LimitTexts,
  limitTexts,
  type NewHook,
  newHook,
  ON,
  SWITCHES,
  textsOf,
  type WantedCommand,
  whyNotTypable,
} from './hook-lines.ts'
import { CopyHere, LineHere, OutputHere, RunHere, useRunHere } from './run-here.tsx'

// The fields of a hook's limits, of the form that makes one and of the form that changes one.

interface LimitInputsProps {
  readonly limits: LimitTexts
  readonly onChange: (limits: LimitTexts) => void
}

function LimitInputs({ limits, onChange }: LimitInputsProps) {
  return (
    <fieldset className="grid limit-inputs">
      <legend>Limits: none where a field is empty</legend>
      {LIMIT_FIELDS.map(([field, title, example]) => (
        <label key={field}>
          <span>{title}</span>
          <input
            value={limits[field] ?? ''}
            placeholder={example}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...limits, [field]: event.target.value })}
          />
        </label>
      ))}
      {SWITCHES.map(([field, title, description]) => (
        <label key={field} className="limit-switch">
          <input
            type="checkbox"
            checked={limits[field] === ON}
            onChange={(event) => onChange({ ...limits, [field]: event.target.checked ? ON : '' })}
          />
          <span>
            {title}: <span className="muted">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

// The form that makes a hook: fields that write the `hook create` line. hookline checks it; its objection is shown below. Fields have no
// maxLength: a browser would cut what is pasted, and half a command is another one.

interface NewHookDialogProps {
  readonly accounts: readonly AccountRow[]
  /** A command from another page. */
  readonly wished: string | undefined
  /** A command from the address. */
  readonly wanted: WantedCommand | undefined
  readonly onClose: () => void
  readonly onCreated: (name: string) => void
}

const CREATE = 'Create hook'

export function NewHookDialog({ accounts, wished, wanted, onClose, onCreated }: NewHookDialogProps) {
  const account = useDesk((state) => scopeOf(state)?.account)
  const names = accounts.map(({ name }) => name)
  const [hook, setHook] = useState(() => {
    const command = wished ?? (wanted !== undefined && 'command' in wanted ? wanted.command : '')
    return newHook(command, account, names)
  })
  const [isAccountChosen, setAccountChosen] = useState(hook.account !== '')
  const ownAccount = newHook('', account, names).account
  // A form at its own address opens before the page knows its account.
  if (!isAccountChosen && ownAccount !== '') {
    setAccountChosen(true)
    setHook({ ...hook, account: ownAccount })
  }
  const change = (next: NewHook) => {
    if (next.account !== hook.account) setAccountChosen(true)
    setHook(next)
  }
  const line = createLine(hook)
  const { run, canRun, whyNot, output } = useRunHere(line, () => onCreated(hook.name.trim()))
  // A key is pressed past the button: where the button is off, it is answered in words.
  const [isRefused, setRefused] = useState(false)
  const create = (event?: FormEvent) => {
    event?.preventDefault()
    setRefused(!canRun || line === undefined)
    if (canRun) void run()
  }
  const why = whyNotTypable(textsOf(hook)) ?? (isRefused ? whyNot : undefined) ?? missing(hook, isRefused)
  return (
    <Dialog title="New hook" className="wide-dialog new-hook" onClose={onClose}>
      <form className="gap-5 grid form" onSubmit={create}>
        {wanted && (
          <p className="soft warning" role="note">
            {'why' in wanted ? wanted.why : 'The command came with the address. Read it before you create the hook.'}
          </p>
        )}
        <HookFields hook={hook} accounts={accounts} onChange={change} onSubmit={create} />
        <LimitInputs limits={hook.limits} onChange={(limits) => setHook({ ...hook, limits })} />
        <div className="gap-3 grid">
          <p className="breaks form-error" role="alert">
            {why}
          </p>
          <LineHere line={line} />
          <OutputHere output={output} />
        </div>
        <div className="to-end cluster dialog-actions">
          <CopyHere line={line} label={CREATE} />
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={!canRun || line === undefined}>
            {CREATE}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function missing({ name, command }: NewHook, isRefused: boolean): string | undefined {
  if (name.trim() === '') return isRefused ? 'Type a name for the hook.' : undefined
  return command.trim() === '' ? 'Type the command that a fire runs.' : undefined
}

interface HookFieldsProps extends Pick<NewHookDialogProps, 'accounts'> {
  readonly hook: NewHook
  readonly onChange: (hook: NewHook) => void
  readonly onSubmit: () => void
}

const ANY_FOCUS = 'the focus of the terminal when it fires'

function HookFields({ hook, accounts, onChange, onSubmit }: HookFieldsProps) {
  const focused = useDesk((state) => focusOf(state)?.account)
  const isHidden = useDesk(({ flags }) => flags?.accountSync === false)
  return (
    <>
      <label>
        <span>Name</span>
        <input
          value={hook.name}
          required
          autoComplete="off"
          placeholder="dip"
          onChange={(event) => onChange({ ...hook, name: event.target.value })}
        />
      </label>
      <CommandField value={hook.command} onChange={(command) => onChange({ ...hook, command })} onSubmit={onSubmit} />
      <label>
        <span>Account</span>
        <select value={hook.account} onChange={(event) => onChange({ ...hook, account: event.target.value })}>
          {accounts.map((row) => (
            <option key={row.name}>{row.name}</option>
          ))}
          <option value="">{focused === undefined ? ANY_FOCUS : `${ANY_FOCUS}, now ${focused}`}</option>
        </select>
      </label>
      <label>
        <span>When</span>
        <input
          className="mono"
          value={hook.when}
          autoComplete="off"
          spellCheck={false}
          placeholder="close(1h) crosses above ema(50), or every 4h"
          onChange={(event) => onChange({ ...hook, when: event.target.value })}
        />
      </label>
      {hook.when.trim() !== '' && (
        <p className="hint">The hook is made paused. Only the hookline terminal resumes it.</p>
      )}
      {isHidden && <p className="hint">Other accounts cannot be chosen: listener.accountSync is off.</p>}
    </>
  )
}

// The command and limits of a hook, as fields that write the `hook edit` line. A page may make limits stricter; hookline says so where it is more.

export function HookEdit({ hook, onDone }: { readonly hook: HookRow; readonly onDone: () => void }) {
  const [command, setCommand] = useState(hook.command)
  const [limits, setLimits] = useState<LimitTexts>(() => limitTexts(hook))
  return (
    <div className="gap-5 grid form hook-edit">
      <CommandField value={command} onChange={setCommand} />
      <LimitInputs limits={limits} onChange={setLimits} />
      <p className="muted">
        Stricter limits may be set here. A wider limit or another command is typed in the hookline terminal: copy the
        line.
      </p>
      <p className="breaks form-error" role="alert">
        {whyNotTypable([command, ...Object.values(limits)])}
      </p>
      <RunHere line={editLine(hook, command, limits)} label="Change" onDone={onDone} />
    </div>
  )
}
