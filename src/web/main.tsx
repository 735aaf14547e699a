// Starts the page: who this tab is, the client, the first attempt to connect.
import { createRoot } from 'react-dom/client'
import { createHooklineClient } from '../client/client.ts'
import { storedClientId } from '../client/client-id.ts'
import { storedKeys } from '../client/client-keys.ts'
import { createStoredPin } from '../client/pinned-listener.ts'
import { DEVICE_STORAGE, readJson, TAB_STORAGE } from '../client/text-storage.ts'
import { TICKET_META } from '../protocol/console.ts'
import { App } from './app.tsx'
import { browserLabel } from './connection/advice.ts'
import { CHOSEN_KEY, Console } from './console.ts'
import { notice } from './notifications/notices.ts'
import { noteServed } from './offline-copy.ts'
import { deviceKey, readSettings } from './settings.ts'
import { claimBrowser, followForgetting, watchSession } from './sign-in/browser-owner.ts'
import { chosenAtStart } from './state/console-state.ts'
import { applyLooks, followLooks } from './state/preferences.ts'
import { ConsoleContext } from './state/use-console.ts'

/** While the page is in front, hookline's return shows at once. */
const longestRetryMs = () => (document.visibilityState === 'visible' ? 2_000 : undefined)

applyLooks()
followLooks()

async function start(root: HTMLElement): Promise<void> {
  const read = await readSettings()
  const account = read.settings.account?.id
  if (account !== undefined || read.hosted === 'sign-in') await claimBrowser(account)
  if (read.hosted === 'sign-in') return showSignIn(root)
  const clientId = await storedClientId()
  noteServed(read)
  const pin = createStoredPin(DEVICE_STORAGE)
  const label = browserLabel(navigator.userAgent)
  const keys = await storedKeys({ clientId })
  const client = createHooklineClient({
    clientId,
    label,
    pin,
    keys,
    longestRetryMs,
    batches: true,
    ticket: takeTicket(),
  })
  client.onState((state) => {
    if (state.name === 'stopped' && state.reason === 'noTicket') void loadAnew()
  })
  const key = keys?.publicKey
  const chosen = chosenAtStart(location.search, readJson(CHOSEN_KEY, TAB_STORAGE))
  const device = deviceKey(DEVICE_STORAGE)
  const console = new Console({ client, pin, clientId, label, key, deviceKey: device, account, chosen })
  followForgetting(console)
  if (account !== undefined) watchSession(account, console)
  createRoot(root).render(
    <ConsoleContext value={console}>
      <App />
    </ConsoleContext>,
  )
  if (read.hosted === 'away')
    notice({
      tone: 'warn',
      page: 'settings',
      href: undefined,
      isFailure: true,
      text: 'The console’s record cannot be read now. This page connects at a click, not by itself.',
    })
  if (read.settings.account !== undefined) void import('./state/layout.ts').then(({ shareLayout }) => shareLayout())
  // A terminal beside the browser starts hookline without hiding this tab.
  addEventListener('focus', () => console.retryNow())
  if (wasLoadedAnew()) return console.connect()
  await console.connectIfExpected(read.settings)
}

/** Removes it from the page, so that no later script reads it. */
function takeTicket(): string | undefined {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name=${TICKET_META}]`)
  meta?.remove()
  return meta?.content
}

const LOADED_ANEW = 'hookline.loaded-anew'
/** A page that hookline does not let in the second time either says so instead. */
const LOAD_ANEW_MS = 30_000

/** The page is a kept copy, or older than its ticket: the server has a new one. */
async function loadAnew(): Promise<void> {
  if (Date.now() - Number(sessionStorage.getItem(LOADED_ANEW)) < LOAD_ANEW_MS) return
  if (!(await readSettings()).isServed) return
  sessionStorage.setItem(LOADED_ANEW, String(Date.now()))
  location.reload()
}

function wasLoadedAnew(): boolean {
  return Date.now() - Number(sessionStorage.getItem(LOADED_ANEW)) < LOAD_ANEW_MS
}

async function showSignIn(root: HTMLElement): Promise<void> {
  const { SignInPage } = await import('./sign-in/sign-in-page.tsx')
  createRoot(root).render(<SignInPage />)
}

const root = document.getElementById('root')
if (root !== null) void start(root)
