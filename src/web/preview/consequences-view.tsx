// What a line would bring, and why it would not.
import { type Consequence, consequencesOf, refusalsOf } from './consequences.ts'
import type { Previewed } from './use-preview.ts'

export function Consequences({ preview, problem }: Pick<Previewed, 'preview' | 'problem'>) {
  const refusals = preview ? refusalsOf(preview) : problem === undefined ? [] : [problem]
  return (
    <div className="consequences" aria-live="polite">
      {preview && <ConsequenceRows rows={consequencesOf(preview)} />}
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

export function ConsequenceRows({ rows }: { readonly rows: readonly Consequence[] }) {
  const numbered = rows.map((row, index) => ({ ...row, key: `${index} ${row.title}` }))
  return (
    <dl>
      {numbered.map(({ key, title, value, tone }) => (
        <div key={key}>
          <dt>{title}</dt>
          <dd className={tone}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
