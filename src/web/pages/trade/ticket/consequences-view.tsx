// What a line would bring, and why it would not.
import { consequencesOf, refusalsOf } from './consequences.ts'
import type { Previewed } from './use-preview.ts'

export function Consequences({ preview, problem }: Pick<Previewed, 'preview' | 'problem'>) {
  const refusals = preview ? refusalsOf(preview) : problem === undefined ? [] : [problem]
  return (
    <div className="consequences" aria-live="polite">
      {preview && (
        <dl>
          {consequencesOf(preview).map(({ title, value, tone }) => (
            <div key={`${title} ${value}`}>
              <dt>{title}</dt>
              <dd className={tone}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {refusals.map((text) => (
        <p key={text} className="refusal">
          {text}
        </p>
      ))}
      {preview?.notes.map((text) => (
        <p key={text} className="ticket-note">
          {text}
        </p>
      ))}
    </div>
  )
}
