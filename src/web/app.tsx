// The desk: which page is shown, inside which frame; and the page's keys.
import { lazy, Suspense, useCallback, useEffect } from 'react'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { Boundary, CannotBeShown, PageBoundary, PartBoundary } from './components/boundary.tsx'
import { ConfirmProvider, useConfirm } from './components/dialog.tsx'
import { Skeleton } from './components/pane.tsx'
import { ToastList, toast } from './components/toasts.tsx'
import { FirstVisit } from './connection/first-visit.tsx'
import { loadNotifications } from './notifications/news.ts'
import { markSeen, useNotices } from './notifications/notices.ts'
import { useCopy } from './offline-copy.ts'
import { loadPalette, PaletteDialog } from './palette/palette-dialog.tsx'
import { Banner } from './shell/banner.tsx'
import { Flatten, haltQuestion } from './shell/flatten.tsx'
import { Foot } from './shell/foot.tsx'
import { Header } from './shell/header.tsx'
import { focusRegionAfter, type PageAction, usePageKeys } from './shell/page-keys.tsx'
import { ProposalsStrip } from './shell/proposals.tsx'
import { Rail } from './shell/rail.tsx'
import { placeOf, symbolIn, withAccount } from './shell/routes.ts'
import { scopeOf, whyNoCommands } from './state/console-state.ts'
import { closeDrawer, openDrawer, useDeskStore } from './state/desk-store.ts'
import { usePreferences } from './state/preferences.ts'
import { useConsole, useDesk } from './state/use-console.ts'

const Drawer = lazy(() => import('./terminal/drawer.tsx'))
const HelpDialog = lazy(() => import('./shell/key-help.tsx'))
const TradePage = lazy(async () => ({ default: (await import('./pages/trade/trade-page.tsx')).TradePage }))
const HooksPage = lazy(async () => ({ default: (await import('./pages/hooks/hooks-page.tsx')).HooksPage }))
const JournalPage = lazy(async () => ({ default: (await import('./pages/journal/journal-page.tsx')).JournalPage }))
const PortfolioPage = lazy(async () => ({
  default: (await import('./pages/portfolio/portfolio-page.tsx')).PortfolioPage,
}))
const CopyPage = lazy(async () => ({ default: (await import('./pages/copy/copy-page.tsx')).CopyPage }))
const SettingsPage = lazy(async () => ({ default: (await import('./pages/settings/settings-page.tsx')).SettingsPage }))
/** So that it is there at the first Ctrl K. */
const PALETTE_AFTER_MS = 1_500

export function App() {
  const { isKnownHere } = useConsole()
  const isFirstVisit = useDesk(({ hasBeenIn }) => !hasBeenIn) && !isKnownHere
  return (
    <ConfirmProvider>
      <Boundary fallback={(why, again) => <WaysOut why={why} onAgain={again} />}>
        {isFirstVisit ? <FirstVisit /> : <Desk />}
      </Boundary>
    </ConfirmProvider>
  )
}

/** Where even the frame of the page cannot be drawn. */
function WaysOut({ why, onAgain }: { readonly why: string; readonly onAgain: () => void }) {
  return (
    <main className="scrolls first">
      <CannotBeShown why={why} onAgain={onAgain}>
        <PartBoundary name="Flatten">
          <Flatten />
        </PartBoundary>
      </CannotBeShown>
    </main>
  )
}

function Desk() {
  const isPaletteOpen = useDeskStore((state) => state.isPaletteOpen)
  const place = placeOf(useLocation()[0])
  const isHelpOpen = useDeskStore((state) => state.isHelpOpen)
  usePageKeys(usePageActions())
  useFollowAddress()
  useCopy()
  useOsNotifications()
  useTitleBadge()
  useEffect(() => {
    // Where it cannot be had now, opening it asks again.
    const timer = setTimeout(() => void loadPalette().catch(() => {}), PALETTE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="gap-0 grid desk">
      <button type="button" className="inset round skip" onClick={openDrawer}>
        Skip to the terminal
      </button>
      <Header />
      <div className="banners">
        <PartBoundary name="What is wrong">
          <Banner />
        </PartBoundary>
        <PartBoundary name="Proposals">
          <ProposalsStrip />
        </PartBoundary>
      </div>
      <Rail />
      <main id="page" className="fill relative clips" tabIndex={-1} data-region="Page">
        <PageBoundary key={place}>
          <Suspense fallback={<Skeleton rows={6} />}>
            <Pages />
          </Suspense>
        </PageBoundary>
      </main>
      <PartBoundary name="The terminal">
        <Suspense>
          <Drawer />
        </Suspense>
        <Foot />
      </PartBoundary>
      <PartBoundary name="News">
        <ToastList />
      </PartBoundary>
      {isHelpOpen && (
        <PartBoundary name="Keyboard">
          <Suspense>
            <HelpDialog onClose={() => useDeskStore.setState({ isHelpOpen: false })} />
          </Suspense>
        </PartBoundary>
      )}
      {isPaletteOpen && (
        <PartBoundary name="Find or run">
          <PaletteDialog onClose={() => useDeskStore.setState({ isPaletteOpen: false })} />
        </PartBoundary>
      )}
    </div>
  )
}

function Pages() {
  return (
    <Switch>
      <Route path="/trade/:symbol?" component={TradePage} />
      <Route path="/hooks/*?" component={HooksPage} />
      <Route path="/journal/*?" component={JournalPage} />
      <Route path="/portfolio/*?" component={PortfolioPage} />
      <Route path="/copy/*?" component={CopyPage} />
      <Route path="/settings/*?" component={SettingsPage} />
      <Route>
        <Redirect to="/trade" replace />
      </Route>
    </Switch>
  )
}

/** The symbol in the address is the tab's, and so is the account; a page that is looked at has no news. */
function useFollowAddress(): void {
  const console = useConsole()
  const [path, navigate] = useLocation()
  const search = useSearch()
  const account = useDesk(({ chosen }) => chosen.account)
  useEffect(() => {
    const next = withAccount(search, account)
    if (placeOf(path) === 'trade' && next !== search)
      navigate(next === '' ? path : `${path}?${next}`, { replace: true, state: history.state })
  }, [path, search, account, navigate])
  useEffect(() => {
    const symbol = symbolIn(path)
    if (symbol !== undefined && symbol !== console.getState().chosen.symbol) console.choose({ symbol })
    markSeen(placeOf(path))
  }, [path, console])
}

function usePageActions(): (action: PageAction) => void {
  const console = useConsole()
  const confirm = useConfirm()
  const [path, navigate] = useLocation()
  return useCallback(
    (action) => {
      switch (action.kind) {
        case 'page':
          navigate(`/${action.id}`)
          return focusPage()
        case 'cycle':
          return focusRegionAfter(action.by)
        case 'terminal':
          return useDeskStore.getState().isDrawerOpen ? closeDrawer() : openDrawer()
        case 'palette':
          return useDeskStore.setState({ isPaletteOpen: true })
        case 'help':
          return useDeskStore.setState({ isHelpOpen: true })
        case 'filter':
          return document.querySelector<HTMLElement>('main [data-filter]')?.focus()
        case 'symbol':
        case 'account':
          return document.querySelector<HTMLElement>(`[data-switch=${action.kind}]`)?.click()
        case 'halt':
          return void halt(console, confirm)
        case 'ticket-side':
        case 'ticket-kind':
        case 'ticket-size':
        case 'ticket-focus':
        case 'close-position':
          if (placeOf(path) === 'trade') useDeskStore.setState({ tradeKey: action })
          return undefined
        case 'prefix':
          return undefined
      }
    },
    [console, confirm, navigate, path],
  )
}

function focusPage(): void {
  requestAnimationFrame(() => document.getElementById('page')?.focus())
}

async function halt(console: ReturnType<typeof useConsole>, confirm: ReturnType<typeof useConfirm>): Promise<void> {
  const state = console.getState()
  const scope = scopeOf(state)
  const why = whyNoCommands(state)
  if (scope === undefined || why !== undefined) {
    toast({
      tone: 'error',
      text: `Nothing was halted. ${why ?? 'No account is known yet.'} Type \`halt\` in the hookline terminal.`,
    })
    return
  }
  const question = haltQuestion(scope)
  if (await confirm(question)) await console.runFromPanel(question.line, scope)
}

// --- how many notices are unseen, in the tab's title and on the icon of an installed console

const NAME = 'hookline'

function useTitleBadge(): void {
  const unseen = useNotices(({ notices }) => notices.filter(({ isSeen }) => !isSeen).length)
  useEffect(() => {
    document.title = titleWith(unseen)
    if (!('setAppBadge' in navigator)) return
    // Only an installed console has an icon.
    void (unseen === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(unseen)).catch(() => {})
  }, [unseen])
}

function titleWith(unseen: number): string {
  return unseen === 0 ? NAME : `(${unseen}) ${NAME}`
}

// --- while sounds or notifications are wanted, this tab takes part in the choice of the one that gives them

function useOsNotifications(): void {
  const isConnected = useDesk(({ connection }) => connection.name === 'welcomed')
  const wants = usePreferences(({ hasSounds, hasNotifications }) => hasSounds || hasNotifications)
  useEffect(() => {
    if (!wants || !isConnected) return undefined
    void loadNotifications().then(({ setConnected }) => setConnected(true))
    return () => void loadNotifications().then(({ setConnected }) => setConnected(false))
  }, [wants, isConnected])
}
