// The way out: every order and task of the shown account is canceled and every position closed, by one held press. Its menu has the stops that
// last.

import { useConfirm } from '../components/confirm.tsx'
import { HeldButton } from '../components/held-button.tsx'
import { Icon } from '../components/icon.tsx'
import { Menu, type MenuItem, usePopover } from '../components/popover.tsx'
import { heldUp, isLive, scopeOf, whyNoCommands } from '../console-state.ts'
import { useConsole, useDesk, useDeskParts } from '../use-console.ts'
import { flattenLine, haltAndFlattenLine, haltLine } from './stop-lines.ts'

export function Flatten() {
  const console = useConsole()
  const scope = scopeOf(useDeskParts('focus', 'portfolio', 'chosen'))
  const canRun = useDesk((state) => isLive(state) && whyNoCommands(state) === undefined)
  const guard = useDesk((state) => heldUp(state).guard)
  const account = scope?.account ?? 'the account'
  const words = `Hold to cancel every order and task and close every position on ${account}`
  const run = (line: string) => scope && void console.runFromPanel(line, scope)
  return (
    <div className="flatten">
      <HeldButton
        className="button danger"
        title={words}
        label={`Flatten ${account}`}
        disabled={!canRun || scope === undefined}
        onHeld={() => run(flattenLine(account, guard))}
        question={{
          title: `Flatten ${account}?`,
          body: <p>Every order and task of {account} is canceled and every position on it is closed at the market.</p>,
          yes: 'Flatten',
          no: 'Leave all as it is',
          isDestructive: true,
        }}
      >
        <Icon name="stop" size={16} />
        Flatten
      </HeldButton>
      <MoreStops account={account} isUsable={canRun && scope !== undefined} run={run} />
    </div>
  )
}

interface MoreStopsProps {
  readonly account: string
  readonly isUsable: boolean
  readonly run: (line: string) => void
}

function MoreStops({ account, isUsable, run }: MoreStopsProps) {
  const popover = usePopover()
  const confirm = useConfirm()
  const ask = async (line: string, title: string, body: string) => {
    const isSure = await confirm({ title, body: <p>{body}</p>, yes: 'Halt', no: 'Go on trading', isDestructive: true })
    if (isSure) run(line)
  }
  const after = 'Nothing but cancels and what reduces is sent until `resume` in the hookline terminal.'
  const items: MenuItem[] = [
    {
      id: 'halt',
      title: 'Halt',
      note: <code>halt</code>,
      onChoose: () => void ask(haltLine(account), `Halt ${account}?`, after),
    },
    {
      id: 'halt-flatten',
      title: 'Flatten and halt',
      note: <code>halt --flatten</code>,
      onChoose: () =>
        void ask(
          haltAndFlattenLine(account),
          `Flatten and halt ${account}?`,
          `Every order is canceled, every position closed at the market. ${after}`,
        ),
    },
  ]
  return (
    <>
      <button
        type="button"
        className="button icon"
        aria-label="More ways to stop"
        title="More ways to stop"
        disabled={!isUsable}
        {...popover.button}
      >
        <Icon name="chevron" size={16} />
      </button>
      <Menu popover={popover} label="More ways to stop" items={items} />
    </>
  )
}
