// Stopping the engine and turning a row off: held presses, that run the command a person would type.

import { HeldButton } from '../../components/held-button.tsx'
import { toast } from '../../components/toasts.tsx'
import { describeFailure } from '../../console.ts'
import type { CrossTrade } from '../../console-state.ts'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { LineBelow } from '../../preview/preview.tsx'
import { useConsole, useDesk } from '../../use-console.ts'
import { type CopyEdit, disableLine, type Pair, rowName, STOP_LINE } from './pairs.ts'

/** undefined: it may. @param needs edits of rows need no more than a connection */
export function useWhyNot(needs: 'commands' | 'connection' = 'commands'): string | undefined {
  const isConnected = useDesk(isLive)
  const whyNot = useDesk(whyNoCommands)
  if (!isConnected) return 'This page is not connected to hookline'
  return needs === 'commands' ? whyNot : undefined
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
        body: (
          <>
            <p>No row copies any more. What copiers hold stays. Only the hookline terminal starts it again.</p>
            <LineBelow line={STOP_LINE} />
          </>
        ),
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
        body: (
          <>
            <p>What its copiers hold stays. Only the hookline terminal turns it on again.</p>
            <LineBelow line={disableLine(row)} />
          </>
        ),
        yes: 'Turn it off',
        no: 'Leave it on',
        isDestructive: true,
      }}
    >
      Turn off
    </HeldButton>
  )
}

interface RemovePairProps {
  readonly pair: Pair
  readonly name: string
  readonly onRemoved: () => void
}

/** The row goes with its last copier. */
export function RemovePair({ pair: { row, copier }, name, onRemoved }: RemovePairProps) {
  const console = useConsole()
  const whyNot = useWhyNot('connection')
  const remove = async () => {
    const copiers = row.copiers.filter((each) => each !== copier)
    // Without `enabled`: a row that was turned off meanwhile stays off.
    const { enabled: _, updatedAt: __, ...config } = row
    const change =
      copiers.length === 0
        ? console.mutate.crossTradeConfig({ op: 'delete', configId: row.id })
        : console.mutate.crossTradeConfig({ op: 'upsert', config: { ...config, copiers } as CopyEdit })
    try {
      await change
      toast({ tone: 'success', text: `${name} is removed; what the copier holds stays` })
      onRemoved()
    } catch (error) {
      toast({ tone: 'error', text: `${name} is not removed: ${describeFailure(error)}` })
    }
  }
  return (
    <HeldButton
      className="button small"
      label={`Remove ${name}`}
      title={whyNot ?? 'Hold to remove the pair; what the copier holds stays'}
      disabled={whyNot !== undefined}
      onHeld={() => void remove()}
      question={{
        title: `Remove ${name}?`,
        body: <p>It is copied no more. What the copier holds stays.</p>,
        yes: 'Remove it',
        no: 'Keep it',
        isDestructive: true,
      }}
    >
      Remove
    </HeldButton>
  )
}
