// The command of a hook as it is, with its slots in the grammar's colours, and what each slot takes.
import type { HookRow } from '../../../protocol/frames.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { marksOf } from './editor/grammar.ts'
import { slotsOf, takes } from './hook-lines.ts'

export function HookCommand({ hook: { name, command } }: { readonly hook: HookRow }) {
  const slots = slotsOf(command)
  return (
    <div className="hook-command">
      <div className="command-shown">
        <code>
          <Marked text={command} />
        </code>
        <CopyButton text={command} name={`Copy the command of ${name}`} />
      </div>
      {slots.length > 0 && (
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
      )}
    </div>
  )
}

function Marked({ text }: { readonly text: string }) {
  const marks = marksOf(text)
  return (
    <>
      {marks.map(({ kind, from, to }, index) => (
        <span key={from}>
          {text.slice(marks[index - 1]?.to ?? 0, from)}
          <span className={`tok-${kind}`}>{text.slice(from, to)}</span>
        </span>
      ))}
      {text.slice(marks.at(-1)?.to ?? 0)}
    </>
  )
}
