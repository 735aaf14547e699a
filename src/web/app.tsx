// The page: header, terminal, panels. Side by side where there is room, tabs where there is not.
import { useCallback, useEffect, useRef, useState } from 'react'
import { ConfirmProvider } from './confirm.tsx'
import { Header } from './header.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { type PageAction, pageAction } from './page-keys.ts'
import { ShownTab } from './panel.tsx'
import { PANELS, type Region } from './panel-list.ts'
import { AccountsPanel } from './panels/accounts-panel.tsx'
import { CrossTradePanel } from './panels/cross-trade-panel.tsx'
import { HooksPanel } from './panels/hooks-panel.tsx'
import { PortfolioPanel } from './panels/portfolio-panel.tsx'
import { TasksPanel } from './panels/tasks-panel.tsx'
import { Tabs } from './tabs.tsx'
import { type TerminalHandle, TerminalPanel } from './terminal/terminal-panel.tsx'
import { useMedia } from './use-media.ts'

const REGIONS: readonly Region[] = ['terminal', ...PANELS.map(({ id }) => id)]

export function App() {
  const isNarrow = useMedia('(max-width: 999px)')
  const [tab, setTab] = useState<Region>('terminal')
  const [isHelping, setHelping] = useState(false)
  const terminal = useRef<TerminalHandle>(null)
  const focusRegion = useCallback((region: Region) => {
    setTab(region)
    // Once its tab is shown.
    requestAnimationFrame(() => {
      if (region === 'terminal') terminal.current?.focus()
      else document.getElementById(`body-${region}`)?.focus()
    })
  }, [])
  usePageKeys(
    useCallback(
      (action) => {
        if (action.kind === 'help') return setHelping(true)
        if (action.kind === 'terminal') return focusRegion('terminal')
        focusRegion(action.kind === 'panel' ? action.id : regionAfter(action.by))
      },
      [focusRegion],
    ),
  )
  return (
    <ConfirmProvider>
      <Header
        onSkip={() => focusRegion('terminal')}
        onHelp={() => setHelping(true)}
        onTheme={() => terminal.current?.retheme()}
      />
      <ShownTab value={isNarrow ? tab : undefined}>
        <main>
          {isNarrow && <Tabs regions={REGIONS} shown={tab} onShow={setTab} />}
          <div className="panels">
            <PortfolioPanel />
            <TerminalPanel ref={terminal} />
            <HooksPanel />
            <AccountsPanel />
            <TasksPanel />
            <CrossTradePanel />
          </div>
        </main>
      </ShownTab>
      {isHelping && <HelpDialog onClose={() => setHelping(false)} />}
    </ConfirmProvider>
  )
}

function regionAfter(by: 1 | -1): Region {
  const current = document.activeElement?.closest<HTMLElement>('[data-panel]')?.dataset.panel
  const index = (REGIONS as readonly (string | undefined)[]).indexOf(current)
  const next = index < 0 ? (by > 0 ? 0 : REGIONS.length - 1) : (index + by + REGIONS.length) % REGIONS.length
  return REGIONS[next] ?? 'terminal'
}

function usePageKeys(act: (action: PageAction) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : undefined
      // A dialog is its own world.
      if (event.defaultPrevented || target?.closest('dialog')) return
      const action = pageAction(event, target?.matches('input, textarea, select') ?? false)
      if (action === undefined) return
      event.preventDefault()
      act(action)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [act])
}
