// What a question says before its yes: what would happen, as hookline works it out now, and below it the line that would run.
import { type ReactNode, useState } from 'react'
import type { HookRow } from '../../protocol/frames.ts'
import { useDesk } from '../use-console.ts'
import { consequencesOf, refusalsOf } from './consequences.ts'
import { Consequences } from './consequences-view.tsx'
import { type Previewed, useFirePreview, useFirstPlace, usePreview } from './use-preview.ts'

/** Instead of a line. */
export const UNTYPABLE = 'No line can hold this name: it has both kinds of quotes, or what cannot be printed.'

export interface LinePreviewProps {
  /** undefined: it cannot be typed. */
  readonly line: string | undefined
  readonly scope: { readonly account: string; readonly symbol: string }
}

export function LinePreview({ line, scope }: LinePreviewProps) {
  return (
    <Foreseen {...usePreview(line, scope.account, scope.symbol)}>
      <LineBelow line={line} />
    </Foreseen>
  )
}

interface FirePreviewProps {
  readonly hook: Pick<HookRow, 'id'>
  /** Of the alert; undefined: it has none. */
  readonly body: string | undefined
  readonly line: string
}

/** Its limits are counted in. */
export function FirePreview({ hook, body, line }: FirePreviewProps) {
  return (
    <Foreseen {...useFirePreview(hook.id, body)}>
      <LineBelow line={line} />
    </Foreseen>
  )
}

interface LineDraftProps extends LinePreviewProps {
  readonly line: string
  readonly onType: (line: string) => void
}

/** The line is a beginning: a person puts it right before it runs. */
export function LineDraft({ line, scope, onType }: LineDraftProps) {
  const [typed, setTyped] = useState(line)
  const previewed = usePreview(typed.trim() === '' ? undefined : typed, scope.account, scope.symbol)
  return (
    <>
      <label className="line-draft">
        <span>This writes</span>
        <input
          className="mono"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            onType(event.target.value)
          }}
        />
      </label>
      <Foreseen {...previewed} />
    </>
  )
}

/** For what places no orders too. */
export function LineBelow({ line }: Pick<LinePreviewProps, 'line'>) {
  return (
    <p className="line-below">
      {line !== undefined && <span>Runs</span>} <code>{line ?? UNTYPABLE}</code>
    </p>
  )
}

function Foreseen({ preview, problem, children }: Previewed & { readonly children?: ReactNode }) {
  useFirstPlace()
  const isSilent = useDesk(({ silentSince }) => silentSince !== undefined)
  const waits = isSilent ? 'hookline does not answer: what it would do is not known.' : 'Working out what it would do…'
  return (
    <>
      {preview === undefined && problem === undefined ? (
        <p className="foreseen" aria-live="polite">
          {waits}
        </p>
      ) : (
        <div className="foreseen">
          <Consequences preview={preview} problem={problem} />
          {preview && isEmpty(preview) && 'It would send nothing: nothing is open.'}
        </div>
      )}
      {children}
    </>
  )
}

function isEmpty(preview: NonNullable<Previewed['preview']>): boolean {
  return consequencesOf(preview).length + refusalsOf(preview).length + preview.notes.length === 0
}
