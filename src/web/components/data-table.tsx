// The desk's table: sorted by its heads, totals at its foot, one tab stop, and only the visible rows in the page where there are many. Up from
// the first row come the heads; while a pointer is over it, no row moves. Which columns it shows is chosen in a card and kept in this browser.
import {
  createSortedRowModel,
  type Row as ModelRow,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import {
  type KeyboardEvent,
  lazy,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { create } from 'zustand'
import { readJson, writeJson } from '../../client/text-storage.ts'
import { NARROW, useMedia } from '../state/use-console.ts'
import { moveInHeads, useRoving } from './arrow-keys.ts'
import { Card, usePopover } from './popover.tsx'

export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** Figures are right aligned. */
  readonly isFigure?: boolean
  /** So wide at least: figures that change leave what is beside them where it is. */
  readonly chars?: number
  /** For columns of buttons and marks, whose heading only screen readers need. */
  readonly isUnseen?: boolean
  /** Names the row. */
  readonly isRowHead?: boolean
  readonly className?: string | ((row: Row) => string | undefined)
  readonly cell: (row: Row) => ReactNode
  /** Ascending; a column without it cannot be sorted by. */
  readonly compare?: (a: Row, b: Row) => number
  /** At the foot. */
  readonly total?: ReactNode
  /** Where the table is wider than its room, the column with the least rank gives way first; absent: it stays. */
  readonly rank?: number
  /** Instead of its cell, once a column of a higher rank would have to give way: buttons as one. */
  readonly folded?: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** A click on a row, or Enter. */
  readonly onOpen?: (row: Row, isByKey: boolean) => void
  /** Default: a click. */
  readonly opensOn?: 'double-click'
  /** The key of the row that is open. */
  readonly selected?: string | undefined
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })

type Model<Row> = ModelRow<typeof features, Row & object>

const VIRTUAL_FROM = 200
const VirtualRows = lazy(async () => ({ default: (await import('./virtual-list.tsx')).VirtualRows }))

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, rows, keyOf } = props
  const scroller = useRef<HTMLElement>(null)
  const { columns, isTight } = useFittingColumns(scroller, props.columns, rows.length)
  const table = useTable({
    features,
    columns: useMemo(() => columns.map(modelOf), [columns]),
    data: rows,
    getRowId: keyOf,
  })
  const heads = table.getFlatHeaders()
  const sorting = heads.map(({ id, column }) => column.getIsSorted() && `${id} ${column.getIsSorted()}`)
  const { rows: sorted, pointer } = useHeldOrder(
    table.getRowModel().rows as readonly Model<Row>[],
    sorting.filter(Boolean).join(),
  )
  const roving = useRoving(scroller, 'tbody tr[data-key]')
  const draw = (index: number, measure?: RowPlace['measure']) => {
    const row = sorted[index]
    if (row === undefined) return null
    const place = { id: row.id, index, measure }
    return <TableRow key={row.id} row={row.original as Row} {...place} {...props} columns={columns} />
  }
  return (
    <section
      className="scrolls relative table-scroll"
      data-long={sorted.length > VIRTUAL_FROM}
      data-tight={isTight}
      aria-label={`${label}, table`}
      ref={scroller}
      {...pointer}
      {...roving}
      onKeyDown={(event) => moveInHeads(event, scroller) || roving.onKeyDown(event)}
    >
      <table className="data-table" aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {heads.map((header, index) => (
              <Head
                key={header.id}
                column={columns[index] as Column<Row>}
                sorted={header.column.getIsSorted()}
                onSort={header.column.getToggleSortingHandler()}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.length <= VIRTUAL_FROM && sorted.map((_, index) => draw(index))}
          {sorted.length > VIRTUAL_FROM && (
            <Suspense fallback={null}>
              <VirtualRows count={sorted.length} scroller={scroller} span={columns.length} draw={draw} />
            </Suspense>
          )}
        </tbody>
        {columns.some(({ total }) => total !== undefined) && <Totals columns={columns} />}
      </table>
    </section>
  )
}

function modelOf<Row extends object>({ id, compare, isFigure = false }: Column<Row>) {
  return {
    id,
    accessorFn: (row: Row) => row,
    enableSorting: compare !== undefined,
    // The first click shows the greatest figures, and the first names.
    sortDescFirst: isFigure,
    sortFn: (a: { original: Row }, b: { original: Row }) => compare?.(a.original, b.original) ?? 0,
  }
}

interface HeadProps<Row> {
  readonly column: Column<Row>
  readonly sorted: false | 'asc' | 'desc'
  readonly onSort: ((event: unknown) => void) | undefined
}

const SORT = { asc: ['ascending', ' ↑'], desc: ['descending', ' ↓'] } as const

function Head<Row>({ column, sorted, onSort }: HeadProps<Row>) {
  const { title, isFigure, isUnseen, chars, compare } = column
  const [order, arrow] = sorted === false ? [undefined, ''] : SORT[sorted]
  const width = chars === undefined ? undefined : { minWidth: `calc(${chars}ch + 20px)` }
  return (
    <th scope="col" className={isFigure ? 'figure' : undefined} aria-sort={order} style={width}>
      {isUnseen && <span className="visually-hidden">{title}</span>}
      {!isUnseen && compare === undefined && title}
      {!isUnseen && compare !== undefined && (
        <button type="button" tabIndex={-1} onClick={onSort}>
          {title}
          <span aria-hidden="true">{arrow}</span>
        </button>
      )}
    </th>
  )
}

interface RowPlace {
  readonly id: string
  /** Among the rows as they are sorted. */
  readonly index: number
  /** Rows are of different heights, as cards above all. */
  readonly measure: ((element: HTMLElement | null) => void) | undefined
}

function TableRow<Row extends object>({
  row,
  id,
  columns,
  onOpen,
  opensOn,
  selected,
  index,
  measure,
}: DataTableProps<Row> & RowPlace & { readonly row: Row }) {
  const open = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.target !== event.currentTarget || !onOpen) return
    event.preventDefault()
    onOpen(row, true)
  }
  const click = onOpen && ((event: MouseEvent) => void (isOwnClick(event.target) && onOpen(row, false)))
  return (
    <tr
      ref={measure}
      data-index={index}
      data-key={id}
      aria-current={selected === id ? 'true' : undefined}
      tabIndex={-1}
      {...(opensOn === 'double-click' ? { onDoubleClick: click } : { onClick: click })}
      onKeyDown={open}
    >
      {columns.map(({ id: column, title, isFigure, isUnseen, isRowHead, className, cell }) => {
        const own = typeof className === 'function' ? className(row) : className
        const classes = [isFigure && 'figure', isUnseen && 'row-actions', own].filter(Boolean).join(' ') || undefined
        const Cell = isRowHead ? 'th' : 'td'
        return (
          <Cell
            key={column}
            scope={isRowHead ? 'row' : undefined}
            className={classes}
            // Above it, where the row is a card.
            data-title={isRowHead || isUnseen ? undefined : title}
          >
            {cell(row)}
          </Cell>
        )
      })}
    </tr>
  )
}

/** A click on a control inside a row is the control's. */
function isOwnClick(target: EventTarget): boolean {
  return !(target instanceof Element && target.closest('button, a, input'))
}

function Totals<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <tfoot>
      <tr>
        {columns.map(({ id, title, isRowHead, isUnseen, isFigure, total }) => (
          <td
            key={id}
            className={isFigure ? 'figure' : undefined}
            data-title={isRowHead || isUnseen ? undefined : title}
          >
            {total}
          </td>
        ))}
      </tr>
    </tfoot>
  )
}

// --- the order of rows while a pointer is over them: a row that moved under the pointer would have another row's button pressed.

/** Rows that were there stay where they were; new ones come after them. */
export function inHeldOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  held: readonly string[],
): readonly Row[] {
  const places = new Map(held.map((id, index) => [id, index]))
  const placeOf = ({ id }: Row) => places.get(id) ?? places.size
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b))
}

interface HeldOrder<Row> {
  readonly rows: readonly Row[]
  readonly pointer: { onPointerEnter(): void; onPointerLeave(): void }
}

/** @param sorting by what the rows are sorted, empty where they come as they are; with another one they are sorted anew */
function useHeldOrder<Row extends { readonly id: string }>(rows: readonly Row[], sorting: string): HeldOrder<Row> {
  const isPointedAt = useRef(false)
  const held = useRef<{ readonly sorting: string; readonly ids: readonly string[] }>(undefined)
  const isHeld = isPointedAt.current && sorting !== '' && held.current?.sorting === sorting
  const shown = isHeld ? inHeldOrder(rows, held.current?.ids ?? []) : rows
  held.current = { sorting, ids: shown.map(({ id }) => id) }
  return {
    rows: shown,
    pointer: {
      onPointerEnter() {
        isPointedAt.current = true
      },
      onPointerLeave() {
        isPointedAt.current = false
      },
    },
  }
}

// --- which columns there is room for: PnL and stop are never beside the window because a symbol is long

/** @param given of the table, all that are chosen @param steps that have been taken since the table got its width @returns those that stay */
export function fittingColumns<Row>(given: readonly Column<Row>[], steps: number): readonly Column<Row>[] {
  const ranks = ranksOf(given).slice(0, steps)
  return given.flatMap((column) => {
    const gives = column.rank !== undefined && ranks.includes(column.rank)
    if (!gives) return [column]
    return column.folded === undefined ? [] : [{ ...column, cell: column.folded }]
  })
}

/** The least first. */
function ranksOf<Row>(columns: readonly Column<Row>[]): readonly number[] {
  const ranks = columns.flatMap(({ rank }) => (rank === undefined ? [] : [rank]))
  return [...new Set(ranks)].sort((a, b) => a - b)
}

interface Fit<Row> {
  readonly columns: readonly Column<Row>[]
  /** Nothing is left to give way: long names are cut. */
  readonly isTight: boolean
}

/** Steps down until the table fits, and begins anew with another width or other rows. */
function useFittingColumns<Row>(
  scroller: RefObject<HTMLElement | null>,
  given: readonly Column<Row>[],
  count: number,
): Fit<Row> {
  const [room, setRoom] = useState({ px: 0, given, count, steps: 0 })
  const isSame = room.given === given && room.count === count
  const steps = isSame ? room.steps : 0
  const most = useMemo(() => ranksOf(given).length + 1, [given])
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const widths = new ResizeObserver(() => {
      const px = element.clientWidth
      setRoom((before) => (before.px === px ? before : { ...before, px, steps: 0 }))
    })
    widths.observe(element)
    return () => widths.disconnect()
  }, [scroller])
  useLayoutEffect(() => {
    const element = scroller.current
    const isCards = matchMedia(NARROW).matches
    if (element === null || isCards || steps === most || element.scrollWidth <= element.clientWidth) return
    setRoom({ px: element.clientWidth, given, count, steps: steps + 1 })
  })
  const columns = useMemo(() => fittingColumns(given, steps), [given, steps])
  return { columns, isTight: steps === most }
}

// --- which columns are shown

export interface ChoosableColumn<Row> extends Column<Row> {
  /** In a window that is narrower it is hidden until a person asks for it. */
  readonly showsFrom?: WideWindow
}

/** Widths of the window at which there is room for more, in px. */
const WIDE_WINDOWS = [1500, 1900] as const
type WideWindow = (typeof WIDE_WINDOWS)[number]

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

const useChoice = create<Choice>(() => {
  const kept = readJson(KEY)
  return isRecord(kept) ? Object.fromEntries(Object.entries(kept).map(([table, of]) => [table, flagsOf(of)])) : {}
})

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
  writeJson(KEY, useChoice.getState())
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

/** The head of a row and its actions cannot be hidden. */
function canHide<Row>({ isRowHead, isUnseen }: ChoosableColumn<Row>): boolean {
  return !isRowHead && !isUnseen
}

interface ColumnMenuProps<Row> {
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
          <fieldset className="grid column-choice">
            <legend className="text-2 muted">Columns</legend>
            {columns.filter(canHide).map((column) => (
              <label key={column.id} className="row">
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
