// The lines of the chart as a list: what it shows in words, and the way to move one without a mouse.
import { useRef } from 'react'
import { Card, usePopover } from '../../../components/popover.tsx'
import { useRoving } from '../../../components/roving.ts'
import { showPrice } from '../../../figures.ts'
import type { ChartLine } from './chart-lines.ts'

interface LinesMenuProps {
  readonly lines: readonly ChartLine[]
  readonly tick: string | undefined
  /** Why none can be moved now. */
  readonly whyNot: string | undefined
  readonly onMove: (line: ChartLine) => void
}

export function LinesMenu({ lines, tick, whyNot, onMove }: LinesMenuProps) {
  const popover = usePopover()
  const list = useRef<HTMLUListElement>(null)
  const roving = useRoving(list, 'button')
  if (lines.length === 0) return null
  const move = (line: ChartLine) => {
    popover.close()
    onMove(line)
  }
  return (
    <>
      <button type="button" className="button small lines-button" {...popover.button}>
        Lines {lines.length}
      </button>
      <Card popover={popover} label="Lines of the chart" className="card lines-card">
        <ul ref={list} {...roving}>
          {lines.map((line) => {
            const { id, label, price } = line
            const says = `${label} at ${showPrice(price, tick ?? price)}`
            return (
              <li key={id}>
                {line.moves === undefined || whyNot !== undefined ? (
                  <span className="line-row" title={whyNot}>
                    {says}
                  </span>
                ) : (
                  <button type="button" className="line-row" title="Move it" onClick={() => move(line)}>
                    {says}
                  </button>
                )}
              </li>
            )
          })}
        </ul>
      </Card>
    </>
  )
}
