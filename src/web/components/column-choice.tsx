// Which columns of a table a person wants to see: chosen in a card, kept in this browser.
import { useMemo } from 'react'
import { create } from 'zustand'
import { useMedia } from '../use-media.ts'
import type { Column } from './data-table.tsx'
import { Card, usePopover } from './popover.tsx'

export interface ChoosableColumn<Row> extends Column<Row> {
  /** In a window that is narrower it is hidden until a person asks for it. */
  readonly showsFrom?: WideWindow
}

/** Widths of the window at which there is room for more, in px. */
export const WIDE_WINDOWS = [1500, 1900] as const
export type WideWindow = (typeof WIDE_WINDOWS)[number]

/** @returns the greatest of {@link WIDE_WINDOWS} that the window has, or 0 */
export function useRoom(): number {
  const [wide, wider] = WIDE_WINDOWS
  const isWide = useMedia(`(min-width: ${wide}px)`)
  const isWider = useMedia(`(min-width: ${wider}px)`)
  return isWider ? wider : isWide ? wide : 0
}

/** By table, by column; a column that is not there is shown as the table itself would. */
type Choice = Readonly<Record<string, Readonly<Record<string, boolean>>>>

const KEY = 'hookline.columns'

const useChoice = create<Choice>(() => stored())

function stored(): Choice {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    return isRecord(kept) ? Object.fromEntries(Object.entries(kept).map(([table, of]) => [table, flagsOf(of)])) : {}
  } catch {
    // Forbidden storage, or somebody else's text under our key.
    return {}
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function flagsOf(value: unknown): Record<string, boolean> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, boolean] => entry[1] === !!entry[1]),
  )
}

function choose(table: string, column: string, isShown: boolean): void {
  const choice = useChoice.getState()
  useChoice.setState({ [table]: { ...choice[table], [column]: isShown } })
  try {
    localStorage.setItem(KEY, JSON.stringify(useChoice.getState()))
  } catch {
    // Forbidden or full: it lasts as long as the page.
  }
}

/** @param room as {@link useRoom} says @returns the same array until the choice changes */
export function useShownColumns<Row>(
  table: string,
  columns: readonly ChoosableColumn<Row>[],
  room: number,
): readonly ChoosableColumn<Row>[] {
  const choice = useChoice((state) => state[table])
  return useMemo(() => columns.filter((column) => isShown(column, choice, room)), [columns, choice, room])
}

function isShown<Row>(column: ChoosableColumn<Row>, choice: Choice[string] | undefined, room: number): boolean {
  return !canHide(column) || (choice?.[column.id] ?? (column.showsFrom === undefined || room >= column.showsFrom))
}

/** What names a row, and what acts on it, stay. */
function canHide<Row>({ isRowHead, isUnseen }: ChoosableColumn<Row>): boolean {
  return !isRowHead && !isUnseen
}

export interface ColumnMenuProps<Row> {
  readonly table: string
  readonly columns: readonly ChoosableColumn<Row>[]
  readonly room: number
}

export function ColumnMenu<Row>({ table, columns, room }: ColumnMenuProps<Row>) {
  const popover = usePopover()
  const choice = useChoice((state) => state[table])
  return (
    <>
      <button type="button" className="button small quiet" {...popover.button}>
        Columns
      </button>
      <Card popover={popover} label="Columns">
        {popover.isOpen && (
          <fieldset className="column-choice">
            <legend>Columns</legend>
            {columns.filter(canHide).map((column) => (
              <label key={column.id} className="check">
                <input
                  type="checkbox"
                  checked={isShown(column, choice, room)}
                  onChange={(event) => choose(table, column.id, event.target.checked)}
                />
                {column.title}
              </label>
            ))}
          </fieldset>
        )}
      </Card>
    </>
  )
}
