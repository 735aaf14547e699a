// A line that a form writes: shown, run here, and what hookline says to it, unchanged. What a page may not do is copied for the terminal.
import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { type OutputLine, whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'

interface RunHereProps {
  /** undefined: there is nothing to run. */
  readonly line: string | undefined
  readonly label: string
  readonly onDone?: () => void
}

const MOST_LINES = 200

export function RunHere({ line, label, onDone }: RunHereProps) {
  const { run, canRun, whyNot, output } = useRunHere(line, onDone)
  return (
    <div className="gap-3 grid">
      <LineHere line={line} />
      <div className="gap-3 cluster">
        <button
          type="button"
          className="button small"
          disabled={!canRun || line === undefined}
          title={whyNot}
          onClick={() => void run()}
        >
          {label}
        </button>
        <CopyHere line={line} label={label} />
      </div>
      <OutputHere output={output} />
    </div>
  )
}

export function useRunHere(line: string | undefined, onDone?: () => void) {
  const console = useConsole()
  const noCommands = useDesk(whyNoCommands)
  const [isBusy, setBusy] = useState(false)
  const [output, setOutput] = useState<readonly OutputLine[]>([])
  const run = async () => {
    if (line === undefined) return
    setBusy(true)
    setOutput([])
    const { isDone } = await console.runTyped(line, undefined, (each) =>
      setOutput((all) => [...all, each].slice(-MOST_LINES)),
    )
    setBusy(false)
    if (isDone) onDone?.()
  }
  const whyNot = noCommands ?? (isBusy ? 'hookline is still running the line. Wait for its answer.' : undefined)
  return { run, canRun: whyNot === undefined, whyNot, output }
}

export function LineHere({ line }: Pick<RunHereProps, 'line'>) {
  if (line === undefined) return null
  return (
    <div className="inset boxed round sunken gap-3 cluster run-command">
      <span className="muted">Command</span>
      <code>{line}</code>
    </div>
  )
}

export function CopyHere({ line, label }: Pick<RunHereProps, 'line' | 'label'>) {
  if (line === undefined) return null
  return <CopyButton text={line} label="Copy for the terminal" name={`Copy for the terminal: ${label}`} />
}

export function OutputHere({ output }: { readonly output: readonly OutputLine[] }) {
  return (
    <div role="status">
      {output.map(({ kind, text }, index) => (
        // Lines of output have nothing else to be known by, and never move.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <p key={index} className={`breaks output ${kind}`}>
          {text}
        </p>
      ))}
    </div>
  )
}
