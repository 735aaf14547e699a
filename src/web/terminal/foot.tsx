// The line at the foot of every page: the last thing that happened, and the way into the terminal.
import { useSyncExternalStore } from 'react'
import { promptText } from '../console-state.ts'
import { showClock } from '../figures.ts'
import { openDrawer, useDeskStore } from '../shell/desk-store.ts'
import { usePreferences } from '../shell/preferences.ts'
import { BottomBar } from '../shell/rail.tsx'
import { useConsole, useDeskParts } from '../use-console.ts'

export function Foot() {
  const isOpen = useDeskStore((state) => state.isDrawerOpen)
  return (
    <footer className="foot" data-drawer={isOpen}>
      <LastEvent />
      <Prompt />
      <button
        type="button"
        className="row muted foot-open"
        aria-expanded={isOpen}
        onClick={() => useDeskStore.setState({ isDrawerOpen: !isOpen })}
      >
        Terminal <kbd>`</kbd>
      </button>
      <BottomBar />
    </footer>
  )
}

function LastEvent() {
  const { log } = useConsole()
  const last = useSyncExternalStore(log.subscribe, log.last)
  const zone = usePreferences(({ timeZone }) => timeZone)
  return (
    <p className="muted foot-event cut">
      {last && (
        <>
          {`${showClock(last.at, zone)} ${last.source}`}
          <span className={`output-${last.kind}`}>{last.text}</span>
        </>
      )}
    </p>
  )
}

function Prompt() {
  const prompt = promptText(useDeskParts('connection', 'focus', 'portfolio', 'chosen'))
  return (
    <button type="button" className="row foot-prompt" aria-label={`Open the terminal: ${prompt}`} onClick={openDrawer}>
      {prompt}
    </button>
  )
}
