// The page's entry: its style and its words are painted before the program is run, which takes longer than both.
import { applyTheme, storedTheme } from './theme.ts'
import './style/tokens.css'
import './style/base.css'
import './style/layout.css'
import './shell/shell.css'
import './shell/header.css'
import './components/button.css'
import './components/pane.css'
import './components/data-table.css'
import './components/popover.css'
import './components/dialog.css'
import './connection/connection.css'
import './terminal/terminal.css'
import './components/virtual-list.css'
import './pages/journal/journal.css'
import './pages/pages.css'
import './connection/first-visit.css'

/** A page that is not seen is not painted either. */
const LONGEST_WAIT_MS = 250

function painted(): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState !== 'visible') return resolve()
    // The callback of a frame runs before its painting; a task that it queues runs after.
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, LONGEST_WAIT_MS)
  })
}

applyTheme(storedTheme())
// The page may come by POST: its reload must be a GET.
history.replaceState(history.state, '')
painted()
  .then(() => import('./main.tsx'))
  .catch((error: unknown) => {
    // The files of this build may be gone from the server by now.
    const why = error instanceof Error ? error.message : String(error)
    const words = document.querySelector('.arriving')
    if (words !== null) words.textContent = `The console could not be loaded. Reload the page. (${why})`
  })
