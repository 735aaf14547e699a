// Stopping the engine and turning a row off: held presses, that run the command a person would type.
import { HeldButton } from '../../components/held-button.tsx'
import type { CrossTrade } from '../../console-state.ts'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { disableLine, rowName, STOP_LINE } from './copy-lines.ts'

/** undefined: it may. */
function useWhyNot(): string | undefined {
  const isConnected = useDesk(isLive)
  const whyNot = useDesk(whyNoCommands)
  return isConnected ? whyNot : 'This page is not connected to hookline'
}

export function StopCopying() {
  const console = useConsole()
  const whyNot = useWhyNot()
  return (
    <HeldButton
      className="button small danger"
      title={whyNot ?? 'Hold to stop the engine; what copiers hold stays'}
      disabled={whyNot !== undefined}
      onHeld={() => void console.runFromPanel(STOP_LINE)}
      question={{
        title: 'Stop copying?',
        body: <p>No row copies any more. What copiers hold stays. Only the hookline terminal starts it again.</p>,
        yes: 'Stop copying',
        no: 'Go on copying',
        isDestructive: true,
      }}
    >
      Stop copying
    </HeldButton>
  )
}

export function TurnRowOff({ row }: { readonly row: CrossTrade['configs'][number] }) {
  const console = useConsole()
  const whyNot = useWhyNot()
  if (!row.enabled) return null
  const name = rowName(row)
  return (
    <HeldButton
      className="button small"
      label={`Turn off ${name}`}
      title={whyNot ?? 'Hold to copy no more by this row; what its copiers hold stays'}
      disabled={whyNot !== undefined}
      onHeld={() => void console.runFromPanel(disableLine(row))}
      question={{
        title: `Turn off ${name}?`,
        body: <p>What its copiers hold stays. Only the hookline terminal turns it on again.</p>,
        yes: 'Turn it off',
        no: 'Leave it on',
        isDestructive: true,
      }}
    >
      Turn off
    </HeldButton>
  )
}
