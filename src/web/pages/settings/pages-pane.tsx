// Who may drive hookline: this page, as hookline knows it, and what only the terminal may change about it and the others.

import { typedLine } from '../../../language/print.ts'
import { keyTail } from '../../../protocol/proof.ts'
import { useConfirm } from '../../components/dialog.tsx'
import { LineToType } from '../../components/line-to-type.tsx'
import { Pane } from '../../components/pane.tsx'
import { forgetEverywhere } from '../../sign-in/browser-owner.ts'
import { useConsole, useDesk } from '../../use-console.ts'

export function PagesPane() {
  const { clientId } = useConsole()
  const { origin } = location
  return (
    <Pane id="pages" title="Pages and programs" isOwn>
      <ThisPage />
      <section className="block" aria-label="Others that may drive hookline">
        <h3>Others</h3>
        <p className="hint">A page is never told who else is trusted. Type these in the hookline terminal.</p>
        <LineToType line="clients" says="Who is trusted and connected:" />
        <LineToType line={typedLine`clients revoke ${clientId.slice(0, 8)}`} says="To shut this page out:" />
        <LineToType line="clients revoke --all" says="To trust nobody, this page among them:" />
      </section>
      <section className="block" aria-label="Pages that may ask">
        <h3>Pages that may ask</h3>
        <p className="hint">
          Only pages of these addresses may ask to be let in. The list is in config.json; it is read anew each time.
        </p>
        <LineToType
          line={`{ "listener": { "allowedOrigins": [${JSON.stringify(origin)}] } }`}
          says="Only pages from here:"
        />
      </section>
      <Forget />
    </Pane>
  )
}

function ThisPage() {
  const { clientId, label, key } = useConsole()
  const connection = useDesk((state) => state.connection)
  const known = connection.name === 'welcomed' ? connection : undefined
  const rows = [
    ['label', label],
    ['origin', location.origin],
    ['client', clientId.slice(0, 8)],
    ['its key', key === undefined ? 'none: this browser keeps no key for this page' : keyTail(key)],
    ['hookline', known?.listenerId ?? 'not connected'],
    ['hookline’s key', hooklineKey(known)],
    ...(known === undefined || known.email === '' ? [] : [['signed in', known.email]]),
  ] as const
  return (
    <section className="block" aria-label="This page">
      <h3>This page</h3>
      <dl className="grid facts">
        {rows.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="hint">{proofInWords(key !== undefined, known)}</p>
    </section>
  )
}

function hooklineKey(known: { readonly key?: string } | undefined): string {
  if (known === undefined) return 'not connected'
  return known.key === undefined ? 'none: this hookline is too old for one' : keyTail(known.key)
}

function proofInWords(hasKey: boolean, known: { readonly key?: string } | undefined): string {
  if (known === undefined) return 'Once connected, both sides prove by keys who they are.'
  if (known.key === undefined || !hasKey)
    return 'Neither side has proved who it is: hookline trusts the name of this page, and this page what answers.'
  return 'Both have proved who they are, by keys that never leave them. The line below shows the same ends of keys.'
}

function Forget() {
  const console = useConsole()
  const confirm = useConfirm()
  const forget = async () => {
    const isSure = await confirm({
      title: 'Forget this browser?',
      body: (
        <>
          <p>
            The keys of its pages, the hookline it knows, its settings and the copy of the console are deleted here. A
            new visit has to be approved in the hookline terminal.
          </p>
          <p>hookline itself keeps the page among its clients until you revoke it there.</p>
        </>
      ),
      yes: 'Forget',
      no: 'Keep',
      isDestructive: true,
    })
    if (!isSure) return
    console.disconnect()
    await forgetEverywhere()
    location.assign('/')
  }
  return (
    <section className="block" aria-label="Forget">
      <h3>Forget</h3>
      <p className="hint">Before somebody else uses this browser.</p>
      <p>
        <button type="button" className="button danger" onClick={() => void forget()}>
          Forget this browser
        </button>
      </p>
    </section>
  )
}
