// The page's entry: its style and its words are painted before the program is run, which takes longer than both.
import { applyTheme, storedTheme } from './theme.ts'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/header.css'
import './style/find.css'
import './style/price.css'
import './style/components.css'
import './style/panes.css'
import './style/tables.css'
import './style/overlays.css'
import './style/dialogs.css'
import './style/connection.css'
import './style/terminal.css'
import './style/hooks.css'
import './style/list-rows.css'
import './style/journal.css'
import './style/run.css'
import './style/pages.css'
import './style/first-visit.css'
import './style/narrow.css'

/** A page that is not seen is not painted either. */
const LONGEST_WAIT_MS = 250

function painted(): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState !== 'visible') return resolve()
    // What is called by a frame still comes before its painting; a task that it leaves comes after.
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, LONGEST_WAIT_MS)
  })
}

applyTheme(storedTheme())
// It came by POST: a reload asks for it as for any page.
history.replaceState(history.state, '')
painted()
  .then(() => import('./main.tsx'))
  .catch((error: unknown) => {
    // The files of this build may be gone from the server by now.
    const why = error instanceof Error ? error.message : String(error)
    const words = document.querySelector('.arriving')
    if (words !== null) words.textContent = `The console could not be loaded. Reload the page. (${why})`
  })
