// A month as a calendar: the profit of each day, also in words. The arrows go from day to day, Page Up and Page Down from month to month.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { Answer } from '../../../client/questions.ts'
import { Icon } from '../../components/icon.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { showMoney, showSignedMoney, toneOf } from '../../figures.ts'
import { isLive } from '../../state/console-state.ts'
import { useDesk } from '../../state/use-console.ts'
import type { QueryState } from '../../state/use-query.ts'
import { dayText, wallOf } from '../../zoned-days.ts'
import {
  addMonths,
  type CalendarDay,
  dayAfterKey,
  daysOf,
  longDay,
  monthTitle,
  sumOfMonth,
  weeksOf,
} from './calendar.ts'
import type { View } from './use-view.ts'

interface DaysPaneProps {
  readonly view: View
  readonly query: QueryState<Answer<'pnl:query'>>
  /** Of the account; days are shown in it. */
  readonly currency: string | undefined
}

export function DaysPane({ view, query: { answer, problem }, currency }: DaysPaneProps) {
  const { month, zone, show } = view
  const isConnected = useDesk(isLive)
  const shown = currency ?? answer?.total.sums[0]?.currency ?? ''
  const days = useMemo(() => daysOf(answer ?? { groups: [] }, shown), [answer, shown])
  // An older hookline counts days in UTC whatever it is asked.
  const counted = answer === undefined || answer.zone === zone ? zone : 'UTC'
  return (
    <Pane id="days" title="Days" aside={`net in ${shown}, days in ${counted}`} actions={<Months view={view} />}>
      {problem !== undefined && <p className="soft warning" role="note">{`hookline reports: ${problem}`}</p>}
      {answer === undefined && !isConnected && <Nothing what="Days" rows={5} />}
      {/* Also while its days are asked for: the focus stays where it is. */}
      {(answer !== undefined || (isConnected && problem === undefined)) && (
        <>
          <Month
            month={month}
            days={answer && days}
            currency={shown}
            today={wallOf(Date.now(), counted).day}
            onMonth={(next) => show({ month: next })}
          />
          <p className="inset muted" role="status">
            {answer && monthWords(month, days, shown)}
          </p>
        </>
      )}
    </Pane>
  )
}

function Months({ view: { month, zone, show } }: { readonly view: View }) {
  const now = wallOf(Date.now(), zone).day.slice(0, 7)
  return (
    <div className="gap-2 row months">
      <button
        type="button"
        className="button small icon"
        aria-label="The month before"
        onClick={() => show({ month: addMonths(month, -1) })}
      >
        <Icon name="chevron" />
      </button>
      <span className="month-name">{monthTitle(month)}</span>
      <button
        type="button"
        className="button small icon"
        aria-label="The month after"
        disabled={month >= now}
        onClick={() => show({ month: addMonths(month, 1) })}
      >
        <Icon name="chevron" />
      </button>
    </div>
  )
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

interface MonthProps {
  readonly month: string
  /** undefined: they are being asked for. */
  readonly days: ReadonlyMap<string, CalendarDay> | undefined
  readonly currency: string
  readonly today: string
  readonly onMonth: (month: string) => void
}

function Month({ month, days, currency, today, onMonth }: MonthProps) {
  const grid = useRef<HTMLTableElement>(null)
  const [chosen, setChosen] = useState<string>()
  /** The focus goes to the chosen day once its month is drawn. */
  const wantsFocus = useRef(false)
  const stop = chosen?.startsWith(month) ? chosen : today.startsWith(month) ? today : `${month}-01`
  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    grid.current?.querySelector<HTMLElement>(`[data-day="${stop}"]`)?.focus()
  })
  const move = (event: KeyboardEvent) => {
    const next = event.altKey || event.ctrlKey || event.metaKey ? undefined : dayAfterKey(stop, event.key)
    if (next === undefined) return
    event.preventDefault()
    // Days to come have made nothing.
    const to = next > today ? today : next
    wantsFocus.current = true
    setChosen(to)
    if (!to.startsWith(month)) onMonth(to.slice(0, 7))
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a calendar is a grid (ARIA Authoring Practices) */}
      <table className="calendar" role="grid" aria-label={`Days of ${monthTitle(month)}`} ref={grid} onKeyDown={move}>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week.find((day) => day !== undefined)}>
              {week.map((day, index) =>
                day === undefined ? (
                  <td key={WEEKDAYS[index]} />
                ) : (
                  <Day
                    key={day}
                    day={day}
                    words={days === undefined ? longDay(day) : dayWords(day, days.get(day), currency)}
                    made={days?.get(day)}
                    isStop={day === stop}
                    isToday={day === today}
                    onChoose={() => setChosen(day)}
                  />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {days !== undefined && chosen?.startsWith(month) && (
        <p className="inset day-words">{dayWords(chosen, days.get(chosen), currency)}</p>
      )}
    </>
  )
}

interface DayProps {
  readonly day: string
  readonly made: CalendarDay | undefined
  readonly words: string
  readonly isStop: boolean
  readonly isToday: boolean
  readonly onChoose: () => void
}

function Day({ day, made, words, isStop, isToday, onChoose }: DayProps) {
  return (
    <td
      data-day={day}
      data-tone={made?.net === undefined ? undefined : toneOf(made.net)}
      data-level={made?.level}
      tabIndex={isStop ? 0 : -1}
      aria-current={isToday ? 'date' : undefined}
      title={words}
      onFocus={onChoose}
    >
      <span className="visually-hidden">{words}</span>
      <span className="day-number" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      {made?.net !== undefined && (
        <span className="figure" aria-hidden="true">
          {showSignedMoney(made.net)}
        </span>
      )}
    </td>
  )
}

function dayWords(day: string, made: CalendarDay | undefined, currency: string): string {
  if (made === undefined) return `${longDay(day)}: no fills`
  const { net = '0', fees = '0', fills } = made
  const count = fills === 1 ? '1 fill' : `${fills} fills`
  return `${longDay(day)}: ${showSignedMoney(net)} ${currency} net, ${count}, fees ${showMoney(fees)}`
}

function monthWords(month: string, days: ReadonlyMap<string, CalendarDay>, currency: string): string {
  const { net, won, lost, best, worst } = sumOfMonth(days.values())
  if (days.size === 0) return `${monthTitle(month)}: no fills.`
  const extreme = (word: string, day: CalendarDay | undefined) =>
    day?.net === undefined ? '' : ` ${word} ${dayText(day.day)} (${showSignedMoney(day.net)}).`
  const count = `${won === 1 ? '1 day' : `${won} days`} won, ${lost} lost`
  return `${monthTitle(month)}: ${showSignedMoney(net)} ${currency} net, ${count}.${extreme('Best:', best)}${extreme('Worst:', worst)}`
}
