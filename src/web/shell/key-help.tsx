// The help: every key of the desk. A chunk of its own, loaded when it is wanted.
import { Dialog } from '../components/dialog.tsx'
import { usePreferences } from '../state/preferences.ts'
import { PLACES } from './routes.ts'

type Rows = readonly (readonly [keys: string, what: string])[]

const LETTERS: Rows = [
  ...PLACES.map(({ title, key }) => [`G ${key.toUpperCase()}`, title] as const),
  ['G A', 'switch the account of this tab'],
  ['S', 'switch the symbol of this tab'],
  ['B V', 'on Trade: buy, sell in the ticket'],
  ['L M', 'on Trade: limit, market in the ticket'],
  ['1 to 9', 'on Trade: one of your sizes in the ticket'],
  ['0', 'on Trade: type the size in the ticket'],
  ['Enter', 'in the ticket, and after its letters and digits: send the order'],
  ['X', 'on Trade: close the position, after a question'],
  ['/', 'filter this list'],
  ['?', 'this help'],
]

const KEYS: Rows = [
  ['Ctrl K', 'find or run'],
  ['`', 'terminal'],
  ['F6 · Shift F6', 'next, previous region'],
  ['Alt 1 to 6', 'the pages, in order'],
  ['↑ ↓ · J K', 'move in a list'],
  ['← →', 'the controls of a row'],
  ['↑ from the first row', 'the column headers; Enter sorts'],
  ['Enter', 'open the row'],
  ['Esc', 'close, cancel'],
  ['Ctrl .', 'halt, after a question'],
]

const TERMINAL_KEYS: Rows = [
  ['Tab', 'complete; on an empty line, leave the terminal'],
  ['→', 'take the line shown in grey'],
  ['↑ ↓', 'earlier lines; one that starts with a space is not kept'],
  ['Ctrl R', 'search them'],
  ['Ctrl U', 'delete to the start'],
  ['Ctrl L · C', 'clear the screen, drop the line'],
]

export default function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const hasLetterKeys = usePreferences((state) => state.hasLetterKeys)
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="gap-5 grid help">
        <Keys title="On the page" rows={KEYS} />
        <Keys title={hasLetterKeys ? 'Letters, outside of text' : 'Letters, switched off in Settings'} rows={LETTERS} />
        <Keys title="In the terminal" rows={TERMINAL_KEYS} />
      </div>
      <p>
        Type <code>help</code> in the terminal for every command.
      </p>
      <div className="to-end cluster dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function Keys({ title, rows }: { readonly title: string; readonly rows: Rows }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="gap-2 facts keys">
        {rows.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
