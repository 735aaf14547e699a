// The command and limits of a hook, as fields that write the `hook edit` line. A page may make limits stricter; hookline says so where it is more.
import { useState } from 'react'
import type { HookRow } from '../../../protocol/frames.ts'
import { CommandField } from './editor/command-field.tsx'
import { editLine, type LimitTexts, limitTexts, whyNotTypable } from './hook-lines.ts'
import { LimitInputs } from './limit-inputs.tsx'
import { RunHere } from './run-here.tsx'

export function HookEdit({ hook, onDone }: { readonly hook: HookRow; readonly onDone: () => void }) {
  const [command, setCommand] = useState(hook.command)
  const [limits, setLimits] = useState<LimitTexts>(() => limitTexts(hook))
  return (
    <div className="form hook-edit">
      <CommandField value={command} onChange={setCommand} />
      <LimitInputs limits={limits} onChange={setLimits} />
      <p className="hint">
        Stricter limits may be set here. A wider limit or another command is typed in the hookline terminal: copy the
        line.
      </p>
      <p className="form-error" role="alert">
        {whyNotTypable([command, ...Object.values(limits)])}
      </p>
      <RunHere line={editLine(hook, command, limits)} label="Change" onDone={onDone} />
    </div>
  )
}
