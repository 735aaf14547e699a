// Work that goes on after its command: what it is, how far it is.
import type { TaskRow } from '../../protocol/frames.ts'
import { type ColumnHead, DataTable } from '../data-table.tsx'
import { showTime } from '../figures.ts'
import { Empty, Nothing, Panel } from '../panel.tsx'
import { useConsoleState } from '../use-console.ts'

/** A status that is not known here is shown without a colour. */
const TONE: ReadonlyMap<string, string> = new Map([
  ['running', 'busy'],
  ['done', 'good'],
  ['failed', 'bad'],
  ['cancelled', 'off'],
  ['interrupted', 'bad'],
])

const COLUMNS: readonly ColumnHead[] = [
  { title: 'Task' },
  { title: 'Status' },
  { title: 'Progress' },
  { title: 'Command' },
  { title: 'Started' },
]

export function TasksPanel() {
  const { tasks } = useConsoleState()
  const running = tasks?.filter(({ status }) => status === 'running').length
  return (
    <Panel id="tasks" title="Tasks" aside={tasks && <span className="count">{`${running} running`}</span>}>
      {tasks === undefined && <Nothing what="Tasks" rows={2} />}
      {tasks?.length === 0 && <Empty>No tasks. Work that outlives its command shows here.</Empty>}
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
  return (
    <tr>
      <th scope="row" className="nowrap">
        {task.kind} {task.symbol}
        <div className="muted">{task.account}</div>
      </th>
      <td>
        <span className={`tag ${TONE.get(task.status) ?? ''}`}>{task.status}</span>
      </td>
      <td className="nowrap">
        <progress max={100} value={percent} aria-label={`Progress of ${task.kind} ${task.symbol}`} />{' '}
        <span className="figure percent">{percent} %</span>
      </td>
      <td className="command">{task.command}</td>
      <td className="muted nowrap">{showTime(task.startedAt, Date.now())}</td>
    </tr>
  )
}
