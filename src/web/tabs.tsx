// The tab strip of narrow screens, with the keys that a tab strip has (ARIA Authoring Practices, Tabs).
import { type KeyboardEvent, useRef } from 'react'
import { PANELS, type PanelId, type Region } from './panel-list.ts'

export interface TabsProps {
  readonly regions: readonly Region[]
  readonly shown: Region
  readonly onShow: (region: Region) => void
}

const TITLES: Readonly<Record<Region, string>> = {
  terminal: 'Terminal',
  ...(Object.fromEntries(PANELS.map(({ id, title }) => [id, title])) as Record<PanelId, string>),
}

export function Tabs({ regions, shown, onShow }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const index = regions.indexOf(shown)
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key]
    const region = to === undefined ? undefined : regions.at(to % regions.length)
    if (region === undefined) return
    event.preventDefault()
    onShow(region)
    list.current?.querySelector<HTMLElement>(`#tab-${region}`)?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label="Panels" ref={list} onKeyDown={move}>
      {regions.map((region) => (
        <button
          key={region}
          id={`tab-${region}`}
          type="button"
          role="tab"
          aria-selected={region === shown}
          aria-controls={`panel-${region}`}
          tabIndex={region === shown ? 0 : -1}
          onClick={() => onShow(region)}
        >
          {TITLES[region]}
        </button>
      ))}
    </div>
  )
}
