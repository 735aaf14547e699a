// Work that goes on after its command: what it is, what it does, how far it is; and what stops it.
import type { TaskRow } from '../../protocol/frames.ts'
import { useConfirm } from '../confirm.tsx'
import { isLive, whyNoCommands } from '../console-state.ts'
import { type ColumnHead, DataTable } from '../data-table.tsx'
import { showAverage, showFigure, showTime } from '../figures.ts'
import { Empty, Nothing, Panel } from '../panel.tsx'
import { useConsole, useConsoleState } from '../use-console.ts'
import { actionsOf, type TaskAction, warningOf } from './task-actions.ts'

/** A status that is not known here is shown without a colour. */
const TONE: ReadonlyMap<string, string> = new Map([
  ['running', 'busy'],
  ['done', 'good'],
  ['failed', 'bad'],
  ['cancelled', 'off'],
  ['interrupted', 'bad'],
])

/** For an average where no price says how many digits prices have. */
const SMALL_STEP = '0.001'

const COLUMNS: readonly ColumnHead[] = [
  { title: 'Task' },
  { title: 'Status' },
  { title: 'Progress' },
  { title: 'Filled', isFigure: true },
  { title: 'Action', isUnseen: true },
]

export function TasksPanel() {
  const { tasks } = useConsoleState()
  const running = tasks?.filter(({ status }) => status === 'running').length
  return (
    <Panel id="tasks" title="Tasks" aside={tasks && <span className="count">{`${running} running`}</span>}>
      {tasks === undefined && <Nothing what="Tasks" rows={2} />}
      {tasks?.length === 0 && (
        <Empty>
          No tasks. <code>trail 1%</code> protects a position, <code>twap buy $500 into 10 over 1h</code> takes its
          time.
        </Empty>
      )}
      {tasks !== undefined && tasks.length > 0 && (
        <DataTable label="Tasks" columns={COLUMNS}>
          {tasks.map((task) => (
            <Task key={task.id} task={task} />
          ))}
        </DataTable>
      )}
    </Panel>
  )
}

function Task({ task }: { readonly task: TaskRow }) {
  const percent = Math.round(Math.min(1, Math.max(0, task.progress)) * 100)
  const isPaused = task.status === 'running' && task.paused === true
  return (
    <tr>
      <th scope="row">
        <span className="nowrap">
          {task.kind} {task.symbol}
        </span>
        <div className="muted nowrap">{`${task.account}, ${showTime(task.startedAt, Date.now())}`}</div>
        <div className="command">{task.command}</div>
      </th>
      <td>
        <span className={`tag ${isPaused ? 'off' : (TONE.get(task.status) ?? '')}`}>
          {isPaused ? 'paused' : task.status}
        </span>
      </td>
      <td>
        <span className="nowrap">
          <progress max={100} value={percent} aria-label={`Progress of ${task.kind} ${task.symbol}`} />{' '}
          <span className="figure percent">{percent} %</span>
        </span>
        <div className="muted">{task.status === 'running' ? (task.doing ?? task.reason) : task.reason}</div>
      </td>
      <td className="figure">
        <Filled task={task} />
      </td>
      <td className="row-actions">
        {actionsOf(task).map((action) => (
          <ActionButton key={action.verb} task={task} action={action} />
        ))}
      </td>
    </tr>
  )
}

function Filled({ task }: { readonly task: TaskRow }) {
  const { filled, amount, average } = task
  if (filled === undefined) return '–'
  return (
    <>
      {amount === undefined ? showFigure(filled) : `${showFigure(filled)} of ${showFigure(amount)}`}
      {average !== undefined && <div className="muted">{`at ${showAverage(average, task.price ?? SMALL_STEP)}`}</div>}
    </>
  )
}

function ActionButton({ task, action }: { readonly task: TaskRow; readonly action: TaskAction }) {
  const console = useConsole()
  const confirm = useConfirm()
  const state = useConsoleState()
  const noCommands = whyNoCommands(state)
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
          </>
        ),
        yes: `Cancel the ${task.kind}`,
        no: 'Keep it',
        isDestructive: true,
      }))
    if (isSure) await console.runFromPanel(`tasks ${action.verb} ${task.id}`, task)
  }
  return (
    <button
      type="button"
      className="button small"
      disabled={!isLive(state) || noCommands !== undefined}
      title={noCommands}
      aria-label={`${action.title} ${task.kind} ${task.symbol} on ${task.account}: ${task.command}`}
      onClick={() => void run()}
    >
      {action.title}
    </button>
  )
}
