// The order of rows while somebody points at them: a row that moved under the pointer would have another row's button pressed.
import { useRef } from 'react'

/** Rows that were there stay where they were; new ones come after them. */
export function inHeldOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  held: readonly string[],
): readonly Row[] {
  const places = new Map(held.map((id, index) => [id, index]))
  const placeOf = ({ id }: Row) => places.get(id) ?? places.size
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b))
}

export interface HeldOrder<Row> {
  readonly rows: readonly Row[]
  readonly pointer: { onPointerEnter(): void; onPointerLeave(): void }
}

/** @param sorting by what the rows are sorted, empty where they come as they are; with another one they are sorted anew */
export function useHeldOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  sorting: string,
): HeldOrder<Row> {
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
