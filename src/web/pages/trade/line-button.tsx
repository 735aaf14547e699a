// A button that writes a line: it shows the line and what it would bring, and runs it once somebody agrees.
import { useConfirm } from '../../components/confirm.tsx'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { Consequences } from './ticket/consequences-view.tsx'
import { usePreview } from './ticket/use-preview.ts'

export interface LineButtonProps {
  readonly title: string
  /** What it does, for those who do not see its row. */
  readonly name: string
  readonly line: string
  readonly scope: { readonly account: string; readonly symbol: string }
}

export function LineButton({ title, name, line, scope }: LineButtonProps) {
  const console = useConsole()
  const confirm = useConfirm()
  const isConnected = useDesk(isLive)
  const noCommands = useDesk(whyNoCommands)
  const run = async () => {
    const isSure = await confirm({
      title: `${name}?`,
      body: <LinePreview line={line} scope={scope} />,
      yes: 'Run the line',
      no: 'Leave it',
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure) await console.runFromPanel(line, scope)
  }
  return (
    <button
      type="button"
      className="button small"
      disabled={!isConnected || noCommands !== undefined}
      title={noCommands ?? line}
      aria-label={name}
      onClick={() => void run()}
    >
      {title}
    </button>
  )
}

/** A line, and what it would bring now. */
export function LinePreview({ line, scope }: Pick<LineButtonProps, 'line' | 'scope'>) {
  const previewed = usePreview(line, scope.account, scope.symbol)
  return (
    <>
      <code className="line-to-run">{line}</code>
      <Consequences {...previewed} />
    </>
  )
}
