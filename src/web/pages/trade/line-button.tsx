// A button that writes a line: it shows the line and what it would bring, and runs it once somebody agrees.
import { type ReactNode, useState } from 'react'
import { useConfirm } from '../../components/confirm.tsx'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { Consequences } from './ticket/consequences-view.tsx'
import { usePreview } from './ticket/use-preview.ts'

export interface LineButtonProps {
  readonly title: ReactNode
  /** What it does, for those who do not see its row. */
  readonly name: string
  /** Of the button, where its title is not in the name: begins with the title. */
  readonly label?: string
  /** undefined: it cannot be typed. */
  readonly line: string | undefined
  readonly scope: { readonly account: string; readonly symbol: string }
  /** The line is a beginning: a person puts it right before it runs. */
  readonly isDraft?: boolean
  readonly className?: string
  readonly disabled?: boolean
  /** Said above what it would bring. */
  readonly warnings?: readonly string[]
}

/** Instead of a line. */
export const UNTYPABLE = 'No line can hold this name: it has both kinds of quotes, or what cannot be printed.'

export function LineButton({ title, name, line, scope, isDraft, warnings, ...look }: LineButtonProps) {
  const ask = useLineQuestion()
  const isConnected = useDesk(isLive)
  const noCommands = useDesk(whyNoCommands)
  return (
    <button
      type="button"
      className={look.className ?? 'button small'}
      disabled={!isConnected || noCommands !== undefined || line === undefined || look.disabled}
      title={noCommands ?? line ?? UNTYPABLE}
      aria-label={look.label ?? name}
      onClick={() => void ask({ name, line, scope, ...(isDraft && { isDraft }), ...(warnings && { warnings }) })}
    >
      {title}
    </button>
  )
}

type LineQuestion = Pick<LineButtonProps, 'name' | 'line' | 'scope' | 'isDraft' | 'warnings'>

/** Shows a line, and runs it once somebody agrees. */
export function useLineQuestion(): (question: LineQuestion) => Promise<void> {
  const console = useConsole()
  const confirm = useConfirm()
  return async ({ name, line, scope, isDraft = false, warnings = [] }) => {
    if (line === undefined) return void console.runFromPanel(line)
    let typed = line
    const isSure = await confirm({
      title: `${name}?`,
      body: (
        <>
          {isDraft ? (
            <LineDraft line={line} scope={scope} onType={(text) => (typed = text)} />
          ) : (
            <LinePreview line={line} scope={scope} />
          )}
          {warnings.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </>
      ),
      yes: 'Run the line',
      no: 'Leave it',
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure && typed.trim() !== '') await console.runFromPanel(typed.trim(), scope)
  }
}

type LineAndScope = Pick<LineButtonProps, 'line' | 'scope'>

/** A line, and what it would bring now. */
export function LinePreview({ line, scope }: LineAndScope) {
  const previewed = usePreview(line, scope.account, scope.symbol)
  return (
    <>
      <code className="line-to-run">{line ?? UNTYPABLE}</code>
      <Consequences {...previewed} />
    </>
  )
}

interface LineDraftProps extends Pick<LineButtonProps, 'scope'> {
  readonly line: string
  readonly onType: (line: string) => void
}

function LineDraft({ line, scope, onType }: LineDraftProps) {
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
      <Consequences {...previewed} />
    </>
  )
}
