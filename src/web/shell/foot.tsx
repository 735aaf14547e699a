// The line at the foot of every page: the last thing that happened, and the way into the terminal.
import { Words } from '../components/words.tsx'
import { showClock } from '../figures.ts'
import { hookName, promptText, restOfOutcome, scopeOf, shownOutcome, toneOfOutcome } from '../state/console-state.ts'
import { openDrawer, useDeskStore } from '../state/desk-store.ts'
import { usePreferences } from '../state/preferences.ts'
import { useDesk, useDeskParts } from '../state/use-console.ts'
import { BottomBar } from './rail.tsx'

export function Foot() {
  const isOpen = useDeskStore((state) => state.isDrawerOpen)
  return (
    <footer className="surface row foot" data-drawer={isOpen}>
      <LastEvent />
      <Prompt />
      <button
        type="button"
        className="soft row muted foot-open wide-only"
        aria-expanded={isOpen}
        onClick={() => useDeskStore.setState({ isDrawerOpen: !isOpen })}
      >
        Terminal <kbd>`</kbd>
      </button>
      <BottomBar />
    </footer>
  )
}

export function LastEvent() {
  const last = useDesk(shownOutcome)
  const hook = useDesk(({ hooks }) => hookName(hooks, last?.hookId))
  const shown = useDesk((state) => scopeOf(state)?.account)
  const other = last?.account === shown || shown === undefined ? undefined : last?.account
  const tone = last && toneOfOutcome(last)
  const zone = usePreferences(({ timeZone }) => timeZone)
  return (
    <p
      className={`fill muted foot-event wide-only ${last?.warning === undefined ? 'cut' : 'clamped'}`}
      title={last?.text}
    >
      {last && (
        <>
          {`${showClock(last.at, zone)} ${hook === undefined ? '' : `[hook:${hook}] `}${other === undefined ? '' : `${other}: `}`}
          {/* The success of a run is not a gain: its sentence may name a loss. */}
          <span className={tone === 'success' ? undefined : `toned ${tone}`}>
            <Words text={[restOfOutcome(last), last.text].filter(Boolean).join('; ')} />
          </span>
        </>
      )}
    </p>
  )
}

function Prompt() {
  const prompt = promptText(useDeskParts('connection', 'focus', 'portfolio', 'chosen'))
  return (
    <button
      type="button"
      className="clips soft to-end rigid nowrap row foot-prompt wide-only"
      aria-label={`Open the terminal: ${prompt}`}
      onClick={openDrawer}
    >
      {prompt}
    </button>
  )
}
