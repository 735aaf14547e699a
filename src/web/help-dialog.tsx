// Every key that the page itself knows.
import { Dialog } from './dialog.tsx'
import { PANELS } from './panel-list.ts'

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/  or  Ctrl K', 'go to the terminal'],
  ['F6 · Shift F6', 'next, previous panel; also out of the terminal'],
  ...PANELS.map(({ title }, index) => [`Alt ${index + 1}`, title] as const),
  ['?', 'this help'],
]

const TERMINAL_KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Tab', 'complete; on an empty line, leave the terminal'],
  ['↑ ↓', 'lines typed before; one that begins with a space is not kept'],
  ['Ctrl A · E', 'start, end of the line'],
  ['Ctrl U · W', 'delete to the start, the word before'],
  ['Ctrl L · C', 'clear the screen, drop the line'],
]

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="help">
        <Keys title="On the page" rows={KEYS} />
        <Keys title="In the terminal" rows={TERMINAL_KEYS} />
      </div>
      <p>
        Type <code>help</code> in the terminal for every command.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function Keys({ title, rows }: { readonly title: string; readonly rows: typeof KEYS }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="keys">
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
