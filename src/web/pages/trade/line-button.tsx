// A button that writes a line: it shows what the line would bring, and runs it after a yes.
import type { ReactNode } from 'react'
import { useConfirm } from '../../components/dialog.tsx'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { LineDraft, LinePreview, UNTYPABLE } from '../../preview/preview.tsx'
import { useConsole, useDesk } from '../../use-console.ts'

interface LineButtonProps {
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

/** Shows what a line would bring, and runs it after a yes. */
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
          {warnings.map((text) => (
            <p key={text}>{text}</p>
          ))}
          {isDraft ? (
            <LineDraft line={line} scope={scope} onType={(text) => (typed = text)} />
          ) : (
            <LinePreview line={line} scope={scope} />
          )}
        </>
      ),
      yes: 'Run the line',
      no: 'Leave it',
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure && typed.trim() !== '') await console.runFromPanel(typed.trim(), scope)
  }
}
