// The form that makes a hook. hookline checks the command; its objection is shown beside the field. Fields have no maxLength: a browser would cut
// what is pasted, and half a command is another one.
import { type FormEvent, useState } from 'react'
import type { AccountRow } from '../../../protocol/frames.ts'
import { Dialog } from '../../components/dialog.tsx'
import { useConsole, useDesk } from '../../use-console.ts'

export interface NewHookDialogProps {
  readonly accounts: readonly AccountRow[]
  readonly onClose: () => void
  readonly onCreated: (name: string) => void
}

export function NewHookDialog({ accounts, onClose, onCreated }: NewHookDialogProps) {
  const console = useConsole()
  const isHidden = useDesk(({ flags }) => flags?.accountSync === false)
  const [name, setName] = useState('')
  const [command, setCommand] = useState('')
  const [account, setAccount] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const create = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    const pinned = account === '' ? {} : { account }
    const failure = await console.changeHook({ op: 'create', name: name.trim(), command: command.trim(), ...pinned })
    setBusy(false)
    if (failure === undefined) onCreated(name.trim())
    else setError(failure)
  }
  return (
    <Dialog title="New hook" onClose={onClose}>
      <form className="form" onSubmit={(event) => void create(event)}>
        <label>
          <span>Name</span>
          <input
            value={name}
            required
            autoComplete="off"
            placeholder="dip"
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          <span>Command</span>
          <textarea
            value={command}
            required
            rows={3}
            spellCheck={false}
            autoComplete="off"
            placeholder="buy $250 BTCUSDT; stop at -2%"
            onChange={(event) => setCommand(event.target.value)}
          />
        </label>
        <label>
          <span>Account</span>
          <select value={account} onChange={(event) => setAccount(event.target.value)}>
            <option value="">the one in focus when it fires</option>
            {accounts.map((row) => (
              <option key={row.name}>{row.name}</option>
            ))}
          </select>
        </label>
        {isHidden && <p className="hint">Other accounts cannot be chosen: listener.accountSync is off.</p>}
        <p className="form-error" role="alert">
          {error}
        </p>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isBusy}>
            Create hook
          </button>
        </div>
      </form>
    </Dialog>
  )
}
