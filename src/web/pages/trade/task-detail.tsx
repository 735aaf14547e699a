// One task in full: what it is, what it does next, what of it has filled, why it stopped, and the ways to its orders and its run.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { typedLine } from '../../../language/print.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { restOf, showAverage, showFigure } from '../../figures.ts'
import { useConsole } from '../../use-console.ts'
import { type Task, taskFacts } from './tasks.ts'

/** For an average where no price says how many digits prices have. */
const SMALLEST = '0.001'

interface TaskDetailProps {
  readonly task: Task
  readonly onClose: () => void
  /** What may be done with it. */
  readonly children: ReactNode
}

export function TaskDetail({ task, onClose, children }: TaskDetailProps) {
  const { kind, symbol, account, command, runId, id } = task
  const console = useConsole()
  return (
    <section className="grid task-detail" aria-label={`${kind} ${symbol}`}>
      <header>
        <h3>{`${kind} ${symbol}`}</h3>
        <span className="muted">{`on ${account}`}</span>
        <button type="button" className="button small" onClick={onClose}>
          Close
        </button>
      </header>
      <p className="task-command">
        <code>{command}</code> <CopyButton text={command} name={`Copy ${command}`} />
      </p>
      <dl>
        {taskFacts(task, Date.now()).map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <Filled task={task} />
      </dl>
      <p className="task-ways">
        {children}
        <button
          type="button"
          className="button small"
          onClick={() => void console.runFromPanel(typedLine`tasks show ${id}`, task)}
          title="What it said and ordered, in the terminal"
        >
          Steps and orders
        </button>
        <Link href={`/journal/${encodeURIComponent(runId)}`}>Its run</Link>
      </p>
    </section>
  )
}

function Filled({ task: { filled, amount, average, price = SMALLEST } }: Pick<TaskDetailProps, 'task'>) {
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
