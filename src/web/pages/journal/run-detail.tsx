// One run in full: its input, each step with its output, its end, and the fate of its orders.

import { type ReactNode, useEffect, useState } from 'react'
import type { Answer } from '../../../client/questions.ts'
import { typedLine } from '../../../language/print.ts'
import type { RunOrderRow, RunRow } from '../../../protocol/frames.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { StateBadge } from '../../components/icon.tsx'
import { Empty, Skeleton } from '../../components/pane.tsx'
import { Words } from '../../components/words.tsx'
import { describeFailure } from '../../console.ts'
import { showFigure, showTime } from '../../figures.ts'
import { lineToRunAgain, outcomeOf, showSpan, sourceWord, tookOf, whoRan } from '../../runs/use-runs.ts'
import { isLive } from '../../state/console-state.ts'
import { propose } from '../../state/desk-store.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { type Moment, timelineOf } from './timeline.ts'

type Run = Answer<'runs:show'>

interface RunDetailProps {
  readonly runId: string
  /** As the list has it; asked for again when it changes. */
  readonly row: RunRow | undefined
  readonly close: ReactNode
}

export function RunDetail({ runId, row, close }: RunDetailProps) {
  const { run: answer, error } = useRun(runId, row)
  const run = row ?? answer?.run
  return (
    <div className="gap-5 grid run-detail">
      <header className="cluster">
        {run && <StateBadge state={outcomeOf(run)} />}
        <h3 className="text-4 cut">{run ? whoRan(run) : 'Run'}</h3>
        <code className="muted">{runId.slice(0, 8)}</code>
        <CopyButton text={runId} label="Copy id" name="Copy id of the run" />
        {close}
      </header>
      {run && <RunFacts run={run} />}
      {error !== undefined && <Refused error={error} runId={runId} />}
      {error === undefined && answer === undefined && <Skeleton rows={5} />}
      {answer && <Timeline run={answer} />}
      {answer?.orders && answer.orders.length > 0 && <RunOrders orders={answer.orders} />}
      {answer && answer.orders === undefined && (
        <p className="hint">Its orders are hidden: Accounts are switched off for pages.</p>
      )}
    </div>
  )
}

/** Why it is not shown in full, in hookline's words, and where it is. */
function Refused({ error, runId }: { readonly error: string; readonly runId: string }) {
  const line = typedLine`runs show ${runId.slice(0, 8)}`
  return (
    <div className="gap-3 grid muted empty">
      <p>
        <Words text={error} />
      </p>
      <span className="cluster line-to-type">
        <code>{line}</code>
        {line !== undefined && <CopyButton text={line} name="Copy the line that shows it" />}
      </span>
    </div>
  )
}

function useRun(runId: string, row: RunRow | undefined): { readonly run?: Run; readonly error?: string } {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const [held, setHeld] = useState<{ readonly runId: string; readonly run?: Run; readonly error?: string }>()
  const version = `${row?.state}.${row?.finishedAt}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: its end is asked for
  useEffect(() => {
    if (!isUsable) return undefined
    let isLeft = false
    console.ask.run(runId).then(
      (run) => !isLeft && setHeld({ runId, run }),
      (error) => !isLeft && setHeld({ runId, error: describeFailure(error) }),
    )
    return () => {
      isLeft = true
    }
  }, [console, isUsable, runId, version])
  return held?.runId === runId ? held : {}
}

export function RunFacts({ run }: { readonly run: RunRow }) {
  const again = lineToRunAgain(run)
  const { command, values, account, startedAt, source, hookId } = run
  return (
    <>
      <div className="inset boxed round sunken gap-3 cluster run-command">
        <code>{command}</code>
        <CopyButton text={again ?? command} label="Copy line" name="Copy line of the run" />
        <button
          type="button"
          className="button small"
          disabled={again === undefined}
          title="Puts the line into the terminal; nothing runs until you send it"
          onClick={() => again !== undefined && propose(again)}
        >
          Run again
        </button>
      </div>
      <dl className="ledger run-facts">
        <Fact name="Started">{showTime(startedAt, Date.now())}</Fact>
        <Fact name="Took">{tookOf(run) ?? 'not known'}</Fact>
        <Fact name="Account">{account ?? 'none'}</Fact>
        <Fact name="From">{hookId === undefined ? sourceWord(source) : `hook ${hookId.slice(0, 8)}`}</Fact>
        {Object.entries(values ?? {}).map(([name, value]) => (
          <Fact key={name} name={`{${name}}`}>
            <code>{value}</code>
          </Fact>
        ))}
      </dl>
      {(run.outcome ?? run.error) !== undefined && (
        <p className={['breaks', ...coloursOf(run)].join(' ')}>
          <Words text={run.outcome ?? run.error ?? ''} />
        </p>
      )}
    </>
  )
}

/** What never began has the tone of its own word. */
function coloursOf(run: RunRow): readonly string[] {
  if (run.warned === true) return ['run-error', 'warn']
  return run.state === 'failed' ? ['run-error', outcomeOf(run)] : []
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Timeline({ run }: { readonly run: Run }) {
  return (
    <>
      <ol className="timeline" aria-label="Timeline">
        {timelineOf(run).map((moment) => (
          <MomentRow key={`${moment.atMs} ${moment.title}`} {...moment} />
        ))}
      </ol>
      {run.leftOut > 0 && <p className="hint">{`${run.leftOut} more lines were not kept.`}</p>}
    </>
  )
}

function MomentRow({ title, isCommand, atMs, took, tone, lines }: Moment) {
  return (
    <li className={tone}>
      <div className="spread row">
        {isCommand ? <code>{title}</code> : <b>{title}</b>}
        <span className="muted">{took ?? showSpan(atMs)}</span>
      </div>
      {lines.map(({ kind, text }, index) => (
        // Lines of output have nothing else to be known by, and never move.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <p key={index} className={`breaks output ${kind}`}>
          <Words text={text} />
        </p>
      ))}
    </li>
  )
}

/** Where nothing is chosen. */
export function NoRun() {
  return <Empty title="No run chosen">Choose a run on the left to see its steps, output and orders.</Empty>
}

// The orders of a run and what became of each, as far as it is known.

function RunOrders({ orders }: { readonly orders: readonly RunOrderRow[] }) {
  const unknown = orders.filter(({ state }) => state === 'unknown').length
  return (
    <section className="run-orders" aria-labelledby="run-orders">
      <h4 id="run-orders">Its orders</h4>
      {unknown > 0 && (
        <p className="soft warning" role="note">
          {unknown === 1 ? 'One order has' : `${unknown} orders have`} no known fate: it may be live. hookline asks by
          its id and never sends it twice.
        </p>
      )}
      <ul>
        {orders.map((order) => (
          <OrderRow key={order.clientOrderId} {...order} />
        ))}
      </ul>
    </section>
  )
}

function OrderRow({
  orderId,
  clientOrderId,
  symbol,
  side,
  type,
  amount,
  filled,
  average,
  reason,
  state,
  ...rest
}: RunOrderRow) {
  const price = average ?? rest.price ?? rest.triggerPrice
  return (
    <li className="text-2 cluster">
      <span>
        {side === 'buy' ? '▲' : '▼'} {side}
      </span>
      <b>{symbol}</b>
      <span className="muted">{type}</span>
      <span className="figure">{showFigure(amount)}</span>
      <span className="figure">{price === undefined ? 'market' : showFigure(price)}</span>
      <StateBadge state={state} />
      <code className="muted cut" title={clientOrderId}>
        {orderId ?? clientOrderId}
      </code>
      <span className="muted">{reason ?? (/[1-9]/.test(filled) ? `${showFigure(filled)} filled` : '')}</span>
    </li>
  )
}
