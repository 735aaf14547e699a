// The command and limits of a hook, as fields that write the `hook edit` line. A page may make limits stricter; hookline says so where it is more.
import { useState } from 'react'
import type { HookRow } from '../../../protocol/frames.ts'
import { editLine, LIMIT_FIELDS, type LimitTexts, limitTexts } from './hook-lines.ts'
import { RunHere } from './run-here.tsx'

export function HookEdit({ hook, onDone }: { readonly hook: HookRow; readonly onDone: () => void }) {
  const [command, setCommand] = useState(hook.command)
  const [limits, setLimits] = useState<LimitTexts>(() => limitTexts(hook))
  return (
    <div className="form hook-edit">
      <label>
        <span>Command</span>
        <textarea value={command} rows={3} spellCheck={false} onChange={(event) => setCommand(event.target.value)} />
      </label>
      <LimitInputs limits={limits} onChange={setLimits} />
      <p className="hint">
        Stricter limits may be set here. A wider limit or another command is typed in the hookline terminal.
      </p>
      <RunHere line={editLine(hook, command, limits)} label="Change" onDone={onDone} />
    </div>
  )
}

export interface LimitInputsProps {
  readonly limits: LimitTexts
  readonly onChange: (limits: LimitTexts) => void
}

export function LimitInputs({ limits, onChange }: LimitInputsProps) {
  return (
    <fieldset className="limit-inputs">
      <legend>Limits</legend>
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
    </fieldset>
  )
}
