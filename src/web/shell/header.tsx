// The header: what commands of this tab run on, what it is worth, what is switched off, the way out, and whether there is a connection.

import { PartBoundary } from '../components/boundary.tsx'
import { Gain, Money } from '../components/figure.tsx'
import { Icon, Mark } from '../components/icon.tsx'
import { ConnectionBadge } from '../connection/connection-badge.tsx'
import { heldUp, isLive, shownPortfolio } from '../console-state.ts'
import { useDesk, useDeskParts } from '../use-console.ts'
import { Bell } from './bell.tsx'
import { useDeskStore } from './desk-store.ts'
import { Flatten } from './flatten.tsx'
import { Lamps } from './lamps.tsx'
import { PricePart, useIsOld } from './price-part.tsx'
import { AccountSwitch, SymbolSwitch } from './scope-switches.tsx'
import { useToday } from './use-today.ts'

export function Header() {
  return (
    <header className="head" data-region="Header" tabIndex={-1}>
      <h1 className="mark">
        <Mark />
        <span className="visually-hidden">hookline</span>
      </h1>
      <PartBoundary name="Account">
        <AccountSwitch />
      </PartBoundary>
      <PartBoundary name="Symbol">
        <SymbolSwitch />
      </PartBoundary>
      <PartBoundary name="Price">
        <PricePart />
      </PartBoundary>
      <PartBoundary name="State">
        <Guards />
      </PartBoundary>
      <span className="head-space" />
      <FindButton />
      <PartBoundary name="Worth">
        <Worth />
      </PartBoundary>
      <PartBoundary name="Switches">
        <Lamps />
      </PartBoundary>
      <Flatten />
      <PartBoundary name="Notices">
        <Bell />
      </PartBoundary>
      <PartBoundary name="Connection">
        <ConnectionBadge />
      </PartBoundary>
    </header>
  )
}

/** Keeps its place while nothing is known. */
function Worth() {
  const portfolio = shownPortfolio(useDeskParts('focus', 'portfolio', 'chosen', 'tabPortfolio'))
  const today = useToday(portfolio)
  const isOld = useIsOld()
  return (
    <dl className="head-figures">
      <div>
        <dt title="Realised since midnight here, after fees and funding">Today</dt>
        <dd>{today === undefined ? '–' : <Gain text={today} isStale={isOld} />}</dd>
      </div>
      <div>
        <dt>Equity</dt>
        <dd title={portfolio?.balance.currency}>
          {portfolio ? <Money text={portfolio.balance.total} isStale={isOld} /> : '–'}
        </dd>
      </div>
    </dl>
  )
}

const GUARD_TITLES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    halted: 'only cancels and `close` are sent; `resume` in the hookline terminal ends it',
    reducing: 'only orders that reduce a position are sent; `resume` in the hookline terminal ends it',
  }),
)

/** What holds up orders or makes figures old, each in a word. */
function Guards() {
  const focus = useDesk((state) => state.focus)
  const guard = useDesk((state) => heldUp(state).guard)
  const isSimulated = useDesk((state) => heldUp(state).simulated === true)
  const isConnected = useDesk(isLive)
  if (!isConnected) return null
  return (
    <span className="guards" role="status" aria-label="State of the account">
      {guard !== undefined && (
        <span className="tag bad" title={GUARD_TITLES.get(guard) ?? 'orders of this account are held up'}>
          {guard}
        </span>
      )}
      {isSimulated && (
        <span
          className="tag warn"
          title="orders of this account are worked out and not sent; `sim off` in the terminal ends it"
        >
          simulated
        </span>
      )}
      {focus?.stale && (
        <span className="tag stale-tag" title="nothing has come from the exchange for too long: figures may be old">
          stale
        </span>
      )}
      {focus?.problem && (
        <span className="tag bad" title={focus.problem}>
          does not answer
        </span>
      )}
    </span>
  )
}

function FindButton() {
  return (
    <button
      type="button"
      className="find"
      title="Find or run (Ctrl K)"
      onClick={() => useDeskStore.setState({ isPaletteOpen: true })}
    >
      <Icon name="search" size={18} />
      <span>Find or run</span>
    </button>
  )
}
