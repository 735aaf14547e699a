// The way out: every order and task of the shown account is canceled and every position closed, by one held press. Its menu has the stops that
// last.

import { lazy, Suspense, useEffect, useState } from 'react'
import { typedLine } from '../../language/print.ts'
import { PartBoundary } from '../components/boundary.tsx'
import { type Question, useConfirm } from '../components/dialog.tsx'
import { HeldButton } from '../components/held-button.tsx'
import { Icon } from '../components/icon.tsx'
import { Menu, type MenuItem, usePopover } from '../components/popover.tsx'
import { Words } from '../components/words.tsx'
import { CANCEL_AND_CLOSE_ALL_LINE, CLOSE_ALL_LINE } from '../pages/trade/position-lines.ts'
import { heldUp, PANIC_ENDS, portfolioOf, scopeOf, whyNoCommands } from '../state/console-state.ts'
import { useConsole, useDesk, useDeskParts } from '../state/use-console.ts'

const LinePreview = lazy(async () => ({ default: (await import('../preview/preview.tsx')).LinePreview }))
const LineBelow = lazy(async () => ({ default: (await import('../preview/preview.tsx')).LineBelow }))

/** A question can be answered without it: it is loaded with the first that has one. @param scope absent: the line alone is shown */
function Preview({ line, scope }: { readonly line: string; readonly scope?: Scope }) {
  return (
    <PartBoundary name="Preview">
      <Suspense>{scope === undefined ? <LineBelow line={line} /> : <LinePreview line={line} scope={scope} />}</Suspense>
    </PartBoundary>
  )
}

export function Flatten() {
  const console = useConsole()
  const scope = scopeOf(useDeskParts('focus', 'portfolio', 'chosen'))
  const whyNot = useDesk(whyNoCommands)
  const guard = useDesk((state) => heldUp(state).guard)
  const account = scope?.account ?? 'the account'
  const words = `Hold to cancel every order and task and close every position on ${account}`
  const run = (line: string) => scope && void console.runFromPanel(line, scope)
  const line = flattenLine(account, guard)
  return (
    <div className="gap-0 row flatten">
      <HeldButton
        className="button danger"
        title={whyNot ?? words}
        label={`Flatten ${account}`}
        disabled={whyNot !== undefined || scope === undefined}
        onHeld={() => run(line)}
        question={{
          title: `Flatten ${account}?`,
          body: (
            <>
              <p>Every order and task of {account} is canceled and every position on it is closed at the market.</p>
              {scope && <Preview line={line} scope={scope} />}
            </>
          ),
          yes: 'Flatten',
          no: 'Change nothing',
          isDestructive: true,
        }}
      >
        <Icon name="stop" size={16} />
        Flatten
      </HeldButton>
      {scope && <MoreStops scope={scope} whyNot={whyNot} run={run} />}
    </div>
  )
}

type Scope = NonNullable<ReturnType<typeof scopeOf>>

interface StopQuestion extends Question {
  readonly line: string
}

/** @param flattens all of it is closed first */
export function haltQuestion(scope: Scope, flattens = false): StopQuestion {
  const { account } = scope
  const line = flattens ? haltAndFlattenLine(account) : haltLine(account)
  return {
    title: flattens ? `Flatten and halt ${account}?` : `Halt ${account}?`,
    body: (
      <>
        <p>
          {flattens && 'Every order is canceled, every position closed at the market. '}
          No order that adds to a position is sent until <code>resume</code> in the hookline terminal.
        </p>
        <Preview line={line} scope={scope} />
      </>
    ),
    yes: flattens ? 'Flatten and halt' : 'Halt',
    no: 'Go on trading',
    isDestructive: true,
    line,
  }
}

/** @param line what a yes runs: the question changes it */
export function closeAllQuestion(scope: Scope, line: { current: string }): Question {
  const keep = (next: string) => {
    line.current = next
  }
  return {
    title: `Close all positions of ${scope.account}?`,
    body: <CloseAllBody scope={scope} onLine={keep} />,
    yes: 'Close all',
    no: 'Leave them open',
    isDestructive: true,
  }
}

interface CloseAllBodyProps {
  readonly scope: Scope
  readonly onLine: (line: string) => void
}

export function CloseAllBody({ scope, onLine }: CloseAllBodyProps) {
  const { account } = scope
  const entries = useDesk((state) => portfolioOf(state, account)?.orders.filter(({ reduceOnly }) => !reduceOnly).length)
  const [cancels, setCancels] = useState(false)
  const line = cancels ? CANCEL_AND_CLOSE_ALL_LINE : CLOSE_ALL_LINE
  useEffect(() => onLine(line), [onLine, line])
  return (
    <>
      <p>Every position is closed at the market.</p>
      {(cancels || (entries ?? 0) > 0) && (
        <label className="gap-3 row">
          <input type="checkbox" checked={cancels} onChange={({ target }) => setCancels(target.checked)} />
          Cancel entries that rest first
        </label>
      )}
      <Preview line={line} scope={scope} />
    </>
  )
}

function panicQuestion(): StopQuestion {
  return {
    title: 'Panic: end every run?',
    body: (
      <>
        <p>
          Every run of every hook, page and terminal ends, on every account, and none begins. Tasks that add end too.
          Positions, their stops and orders stay.
        </p>
        <p>
          <Words text={PANIC_ENDS} />
        </p>
        <Preview line={PANIC_LINE} />
      </>
    ),
    yes: 'Panic',
    no: 'Go on trading',
    isDestructive: true,
    line: PANIC_LINE,
  }
}

const PANIC_LINE = 'panic'

interface MoreStopsProps {
  readonly scope: Scope
  readonly whyNot: string | undefined
  readonly run: (line: string) => void
}

function MoreStops({ scope, whyNot, run }: MoreStopsProps) {
  const popover = usePopover()
  const confirm = useConfirm()
  const put = async (question: StopQuestion) => {
    if (await confirm(question)) run(question.line)
  }
  const closeAll = async () => {
    const line = { current: CLOSE_ALL_LINE }
    if (await confirm(closeAllQuestion(scope, line))) run(line.current)
  }
  const items: MenuItem[] = [
    {
      id: 'close-all',
      title: 'Close all positions',
      note: <code>{CLOSE_ALL_LINE}</code>,
      onChoose: () => void closeAll(),
    },
    {
      id: 'halt',
      title: 'Halt',
      note: <code>halt</code>,
      onChoose: () => void put(haltQuestion(scope)),
    },
    {
      id: 'halt-flatten',
      title: 'Flatten and halt',
      note: <code>halt --flatten</code>,
      onChoose: () => void put(haltQuestion(scope, true)),
    },
    {
      id: 'panic',
      title: 'Panic',
      note: <code>{PANIC_LINE}</code>,
      onChoose: () => void put(panicQuestion()),
    },
  ]
  return (
    <>
      <button
        type="button"
        className="button icon"
        aria-label="More ways to stop"
        title={whyNot ?? 'More ways to stop'}
        disabled={whyNot !== undefined}
        {...popover.button}
      >
        <Icon name="chevron" size={16} />
      </button>
      <Menu popover={popover} label="More ways to stop" items={items} />
    </>
  )
}

// --- lines of the stops. A name that cannot be typed is left out: each line runs on the account that is shown.

/** Tasks end too: a twap that goes on would buy again what was closed. */
function flattenLine(account: string, guard: string | undefined): string {
  return guard === 'halted' ? haltAndFlattenLine(account) : 'nuke --yes'
}

export function haltLine(account: string): string {
  return typedLine`halt ${account}` ?? 'halt'
}

export function haltAndFlattenLine(account: string): string {
  return typedLine`halt ${account} --flatten --yes` ?? 'halt --flatten --yes'
}
