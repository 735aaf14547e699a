// The page's head: what it is, whether it is connected, and the few things that concern all of it.
import { useState } from 'react'
import { ConnectionBadge } from './connection/connection-badge.tsx'
import { focusOf, isLive } from './console-state.ts'
import { showFigure } from './figures.ts'
import { applyTheme, nextTheme, storedTheme, storeTheme, type Theme } from './theme.ts'
import { useConsoleState } from './use-console.ts'

export interface HeaderProps {
  readonly onSkip: () => void
  readonly onHelp: () => void
  readonly onTheme: () => void
}

export function Header({ onSkip, onHelp, onTheme }: HeaderProps) {
  return (
    <header className="head">
      <button type="button" className="skip" onClick={onSkip}>
        Skip to the terminal
      </button>
      <h1>hookline</h1>
      <Focus />
      <Switches />
      <ConnectionBadge />
      <ThemeButton onTheme={onTheme} />
      <button
        type="button"
        className="button icon"
        aria-label="Keyboard help"
        title="Keyboard help (?)"
        onClick={onHelp}
      >
        ?
      </button>
    </header>
  )
}

/** The account and symbol that commands without their own mean, whether or not the exchange says a price. */
function Focus() {
  const state = useConsoleState()
  const focus = focusOf(state)
  const { portfolio } = state
  return (
    <p className="market" data-stale={!isLive(state) || focus?.stale === true}>
      {focus && (
        <>
          <span className="market-account">{focus.account}</span>
          <b>{focus.symbol}</b>
          {portfolio && <span className="figure">{showFigure(portfolio.last)}</span>}
          {focus.stale && (
            <span className="tag bad" title="nothing has come from the exchange for too long: figures may be old">
              stale
            </span>
          )}
          {focus.problem && (
            <span className="tag bad" title={focus.problem}>
              does not answer
            </span>
          )}
        </>
      )}
    </p>
  )
}

const GUARD_TITLES: Readonly<Record<string, string>> = {
  halted: 'only cancels and `close` are sent; `resume` in the hookline terminal ends it',
  reducing: 'only orders that reduce a position are sent; `resume` in the hookline terminal ends it',
}

/** Switches that are off, and files that hookline cannot use: what is missing elsewhere on the page is missing because of them. */
function Switches() {
  const state = useConsoleState()
  const { flags } = state
  if (!isLive(state) || flags === undefined) return null
  const { remoteExec, accountSync, invalidFiles, guard, simulated } = flags
  return (
    <p className="switches" role="status" aria-label="Switches of hookline">
      {guard !== undefined && (
        <span className="tag bad" title={GUARD_TITLES[guard] ?? 'orders of this account are held up'}>
          {guard}
        </span>
      )}
      {simulated === true && (
        <span
          className="tag bad"
          title="orders of this account are worked out and not sent; `sim off` in the terminal ends it"
        >
          simulated
        </span>
      )}
      {!remoteExec && (
        <span className="tag bad" title="listener.remoteExec is false: commands fail, and fires are answered 423">
          commands and fires off
        </span>
      )}
      {!accountSync && (
        <span className="tag off" title="listener.accountSync is false: pages are shown no accounts">
          accounts hidden
        </span>
      )}
      {invalidFiles > 0 && (
        <span className="tag bad" title="`status` in the hookline terminal names them">
          {invalidFiles === 1 ? '1 invalid file' : `${invalidFiles} invalid files`}
        </span>
      )}
    </p>
  )
}

const ICON: Readonly<Record<Theme, string>> = {
  system: 'M8 2.5a5.5 5.5 0 1 0 0 11ZM8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Z',
  light:
    'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM7.3 1h1.4v2H7.3Zm0 12h1.4v2H7.3ZM1 7.3h2v1.4H1Zm12 0h2v1.4h-2ZM2.6 3.6l1-1L5 4 4 5Zm8.4 8.4 1-1 1.4 1.4-1 1ZM2.6 12.4 4 11l1 1-1.4 1.4ZM11 4l1.4-1.4 1 1L12 5Z',
  dark: 'M6 1.6A6.6 6.6 0 1 0 14.4 10 5.6 5.6 0 0 1 6 1.6Z',
}

function ThemeButton({ onTheme }: { readonly onTheme: () => void }) {
  const [theme, setTheme] = useState(storedTheme)
  const next = nextTheme(theme)
  const change = () => {
    storeTheme(next)
    applyTheme(next)
    setTheme(next)
    onTheme()
  }
  const name = `Theme: ${theme}. Change to ${next}`
  return (
    <button type="button" className="button icon" aria-label={name} title={name} onClick={change}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={ICON[theme]} fill="currentColor" fillRule="evenodd" />
      </svg>
    </button>
  )
}
