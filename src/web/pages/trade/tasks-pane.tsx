// Work that goes on after its command: what it is, what it does, how far it is; and what stops it.

import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { typedLine } from '../../../language/print.ts'
import type { TaskRow } from '../../../protocol/frames.ts'
import { CopyButton, LineToType } from '../../components/copy-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { useConfirm } from '../../components/dialog.tsx'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { Words } from '../../components/words.tsx'
import { restOf, showAverage, showFigure, showTime } from '../../figures.ts'
import { ConsequenceRows, LineBelow } from '../../preview/preview.tsx'
import { whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { useHeld } from './holdings-context.ts'
import {
  actionsOf,
  hasProgress,
  lossOf,
  resumeLine,
  type Task,
  type TaskAction,
  taskFacts,
  taskLine,
  warningOf,
} from './tasks.ts'
import './tasks.css'

/** A status that is not known here is shown without a colour. */
const TONE: ReadonlyMap<string, string> = new Map([
  ['running', 'busy'],
  ['done', 'good'],
  ['failed', 'bad'],
  ['cancelled', 'off'],
  ['interrupted', 'bad'],
])

export function TasksPane() {
  const tasks = useDesk((state) => state.tasks)
  const account = useHeld().scope.account
  const others = tasks?.filter((task) => task.account !== account) ?? []
  const own = tasks?.filter((task) => task.account === account) ?? []
  const [parameters, setParameters] = useSearchParams()
  const open = tasks?.find(({ id }) => id === parameters.get('task'))
  const show = (id: string | undefined) =>
    setParameters(
      (before) => {
        const { task: _, ...others } = Object.fromEntries(before)
        return id === undefined ? others : { ...others, task: id }
      },
      { replace: true },
    )
  const table = (label: string, rows: readonly TaskRow[]) => (
    <DataTable
      label={label}
      columns={COLUMNS}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => show(id === open?.id ? undefined : id)}
      selected={open?.id}
    />
  )
  return (
    <Pane
      id="tasks"
      of="state:tasks"
      title="Tasks"
      aside={tasks && <span className="count">{`${runningOf(own)} running on ${account}`}</span>}
    >
      {tasks === undefined && <Nothing what="Tasks" rows={2} />}
      {tasks?.length === 0 && (
        <Empty>
          No tasks. <code>trail 1%</code> protects a position, <code>twap buy $500 into 10 over 1h</code> takes its
          time.
        </Empty>
      )}
      {tasks !== undefined && tasks.length > 0 && (
        <div className={open === undefined ? undefined : 'grid tasks-with-detail'}>
          <div>
            {own.length === 0 ? <Empty>{`No tasks on ${account}.`}</Empty> : table('Tasks', own)}
            {others.length > 0 && (
              <>
                <h3 className="inset text-2 muted">{`Other accounts, ${runningOf(others)} running`}</h3>
                {table('Tasks of other accounts', others)}
              </>
            )}
          </div>
          {open !== undefined && (
            <TaskDetail task={open} onClose={() => show(undefined)}>
              <TaskButtons task={open} />
              <ResumeLine task={open} />
            </TaskDetail>
          )}
        </div>
      )}
    </Pane>
  )
}

function runningOf(tasks: readonly TaskRow[]): number {
  return tasks.filter(({ status }) => status === 'running').length
}

const COLUMNS: readonly Column<TaskRow>[] = [
  { id: 'task', title: 'Task', isRowHead: true, className: 'wraps', cell: (task) => <Name task={task} /> },
  {
    id: 'status',
    title: 'Status',
    cell: (task) => <Status task={task} />,
    compare: (a, b) => a.status.localeCompare(b.status),
  },
  {
    id: 'progress',
    title: 'Progress',
    className: 'wraps',
    cell: (task) => <Progress task={task} />,
    compare: (a, b) => a.progress - b.progress,
  },
  { id: 'filled', title: 'Filled', isFigure: true, cell: (task) => <Filled task={task} /> },
  {
    id: 'action',
    title: 'Action',
    isUnseen: true,
    cell: (task) => <TaskButtons task={task} />,
  },
]

function TaskButtons({ task }: { readonly task: TaskRow }) {
  return actionsOf(task).map((action) => <ActionButton key={action.verb} task={task} action={action} />)
}

function ResumeLine({ task }: { readonly task: TaskRow }) {
  const line = resumeLine(task)
  return line === undefined ? null : <LineToType line={line} label="To go on, in the hookline terminal:" />
}

function Name({ task: { kind, symbol, account, startedAt, command } }: { readonly task: TaskRow }) {
  return (
    <>
      <span className="nowrap">
        {kind} {symbol}
      </span>
      <div className="muted nowrap">{`${account}, ${showTime(startedAt, Date.now())}`}</div>
      <div className="command">{command}</div>
    </>
  )
}

function Status({ task: { status, paused } }: { readonly task: TaskRow }) {
  const isPaused = status === 'running' && paused === true
  return <span className={`tag ${isPaused ? 'warn' : (TONE.get(status) ?? '')}`}>{isPaused ? 'paused' : status}</span>
}

function Progress({ task }: { readonly task: TaskRow }) {
  const percent = Math.round(Math.min(1, Math.max(0, task.progress)) * 100)
  return (
    <>
      {hasProgress(task) && (
        <span className="nowrap">
          <progress max={100} value={percent} aria-label={`Progress of ${task.kind} ${task.symbol}`} />{' '}
          <span className="figure percent">{percent} %</span>
        </span>
      )}
      <div className="muted">{task.status === 'running' ? (task.doing ?? task.reason) : task.reason}</div>
    </>
  )
}

function Filled({ task }: { readonly task: TaskRow }) {
  const { filled, amount, average } = task
  if (filled === undefined) return '–'
  return (
    <>
      {amount === undefined ? showFigure(filled) : `${showFigure(filled)} of ${showFigure(amount)}`}
      {average !== undefined && <div className="muted">{`at ${showAverage(average, task.price)}`}</div>}
    </>
  )
}

function ActionButton({ task, action }: { readonly task: TaskRow; readonly action: TaskAction }) {
  const console = useConsole()
  const confirm = useConfirm()
  const noCommands = useDesk(whyNoCommands)
  const warning = warningOf(task, action)
  const run = async () => {
    const isSure =
      warning === undefined ||
      (await confirm({
        title: `Cancel this ${task.kind}?`,
        body: (
          <>
            <code>{task.command}</code>
            <p>{warning}</p>
            <div className="round raised fill text-2 foreseen consequences">
              <ConsequenceRows rows={lossOf(task)} />
            </div>
            <LineBelow line={taskLine(task, action)} />
          </>
        ),
        yes: `Cancel the ${task.kind}`,
        no: 'Keep it',
        isDestructive: true,
      }))
    if (isSure) await console.runFromPanel(taskLine(task, action), task)
  }
  return (
    <button
      type="button"
      className="button small"
      disabled={noCommands !== undefined}
      title={noCommands}
      aria-label={`${action.title} ${task.kind} ${task.symbol} on ${task.account}: ${task.command}`}
      onClick={() => void run()}
    >
      {action.title}
    </button>
  )
}

// --- One task in full: what it is, what it does next, what of it has filled, why it stopped, and the ways to its orders and its run.

interface TaskDetailProps {
  readonly task: Task
  readonly onClose: () => void
  /** Its actions. */
  readonly children: ReactNode
}

function TaskDetail({ task, onClose, children }: TaskDetailProps) {
  const { kind, symbol, account, command, runId, id } = task
  const console = useConsole()
  const noCommands = useDesk(whyNoCommands)
  return (
    <section className="inset grid task-detail" aria-label={`${kind} ${symbol}`}>
      <header className="gap-3 cluster">
        <h3 className="text-4">{`${kind} ${symbol}`}</h3>
        <span className="muted">{`on ${account}`}</span>
        <button type="button" className="button small" onClick={onClose}>
          Close
        </button>
      </header>
      <p className="task-command">
        <code>{command}</code> <CopyButton text={command} name={`Copy ${command}`} />
      </p>
      <dl className="facts">
        {taskFacts(task, Date.now()).map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <Words text={text} />
            </dd>
          </div>
        ))}
        <FilledFacts task={task} />
      </dl>
      <p className="gap-3 cluster">
        {children}
        <button
          type="button"
          className="button small"
          disabled={noCommands !== undefined}
          onClick={() => void console.runFromPanel(typedLine`tasks show ${id}`, task)}
          title={noCommands ?? 'Its output and orders, in the terminal'}
        >
          Steps and orders
        </button>
        <Link href={`/journal/${encodeURIComponent(runId)}`}>Its run</Link>
      </p>
    </section>
  )
}

function FilledFacts({ task: { filled, amount, average, price } }: Pick<TaskDetailProps, 'task'>) {
  if (filled === undefined) return null
  const left = amount === undefined ? undefined : restOf(amount, filled)
  return (
    <>
      <div>
        <dt>Filled</dt>
        <dd className="figure">
          {amount === undefined ? showFigure(filled) : `${showFigure(filled)} of ${showFigure(amount)}`}
        </dd>
      </div>
      {average !== undefined && (
        <div>
          <dt>Average price</dt>
          <dd className="figure">{showAverage(average, price)}</dd>
        </div>
      )}
      {left !== undefined && (
        <div>
          <dt>Left</dt>
          <dd className="figure">{showFigure(left)}</dd>
        </div>
      )}
    </>
  )
}
