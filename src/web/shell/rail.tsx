// Where one can go: the six pages at the left, or at the foot of a narrow window; theme and keys below them.
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Icon } from '../components/icon.tsx'
import { useNotices } from '../notifications/notices.ts'
import { useDeskStore } from '../state/desk-store.ts'
import { useDesk } from '../state/use-console.ts'
import { applyTheme, nextTheme, storedTheme, storeTheme } from '../theme.ts'
import { PLACES, type Place, placeOf, tradePath } from './routes.ts'

const ITEM = 'round relative gap-1 text-1 full grid muted rail-item'

export function Rail() {
  return (
    <nav className="surface gap-1 stack rail wide-only" aria-label="Pages">
      {PLACES.map((place) => (
        <RailLink key={place.id} place={place} />
      ))}
      <span className="fill" />
      <ThemeButton />
      <button type="button" className={ITEM} title="Every key (?)" onClick={showHelp}>
        <Icon name="keys" />
        Keys
      </button>
    </nav>
  )
}

export function BottomBar() {
  return (
    <nav className="bottom-bar" aria-label="Pages, at the foot">
      {PLACES.map((place) => (
        <RailLink key={place.id} place={place} />
      ))}
      <button type="button" className={ITEM} onClick={() => useDeskStore.setState({ isDrawerOpen: true })}>
        <Icon name="prompt" />
        Terminal
      </button>
    </nav>
  )
}

function RailLink({ place: { id, title, icon } }: { readonly place: Place }) {
  const [path] = useLocation()
  const symbol = useDesk(({ chosen }) => chosen.symbol)
  const hasPip = useNotices(({ notices }) => notices.some((each) => !each.isSeen && each.isFailure && each.page === id))
  return (
    <Link
      href={id === 'trade' ? tradePath(symbol) : `/${id}`}
      className={ITEM}
      aria-current={placeOf(path) === id ? 'page' : undefined}
      aria-label={hasPip ? `${title}, something failed there` : title}
    >
      <span className="relative">
        <Icon name={icon} />
        {hasPip && <span className="circle pip" />}
      </span>
      {title}
    </Link>
  )
}

function showHelp(): void {
  useDeskStore.setState({ isHelpOpen: true })
}

function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme)
  const next = nextTheme(theme)
  const change = () => {
    storeTheme(next)
    applyTheme(next)
    setTheme(next)
  }
  const name = `Theme: ${theme}. Change to ${next}`
  return (
    <button type="button" className={ITEM} aria-label={name} title={name} onClick={change}>
      <Icon name={theme} />
      Theme
    </button>
  )
}
