// A tab strip, with the keys that a tab strip has (ARIA Authoring Practices, Tabs): one tab stop, arrows inside.
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { indexAfter } from './arrow-keys.ts'

export interface Tab<Id extends string> {
  readonly id: Id
  readonly title: string
  /** Keeps its place while it is not known: undefined. Absent: there is none. */
  readonly count?: number | undefined
}

interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Id>[]
  readonly shown: Id
  readonly onShow: (id: Id) => void
}

/** The panel is an element with `id={`tabpanel-${id}`}`, `role="tabpanel"` and `aria-labelledby={`tab-${id}`}`. */
export function Tabs<Id extends string>({ label, tabs, shown, onShow }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const index = tabs.findIndex(({ id }) => id === shown)
    const tab = tabs[indexAfter('tabs', event, index, tabs.length) ?? -1]
    if (tab === undefined) return
    event.preventDefault()
    onShow(tab.id)
    list.current?.querySelector<HTMLElement>(`#tab-${tab.id}`)?.focus()
  }
  // A strip that is wider than its place shows the tab that is shown, and moves no page for it.
  useEffect(() => {
    const strip = list.current
    const tab = strip?.querySelector(`#tab-${shown}`)
    if (!strip || !tab) return
    const [inside, whole] = [tab.getBoundingClientRect(), strip.getBoundingClientRect()]
    strip.scrollLeft += Math.max(0, inside.right - whole.right) - Math.max(0, whole.left - inside.left)
  }, [shown])
  return (
    <div className="rigid gap-2 row tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(({ id, title, ...tab }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === shown}
          aria-controls={`tabpanel-${id}`}
          tabIndex={id === shown ? 0 : -1}
          onClick={() => onShow(id)}
        >
          {title}
          {'count' in tab && <span className="count"> {tab.count}</span>}
        </button>
      ))}
    </div>
  )
}
