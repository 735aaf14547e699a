// What nobody waits for while it is written: a stop waits for it.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createAuditTrail } from '../../src/app/audit.ts'
import { openStores } from '../../src/app/open-stores.ts'

it('has settled when the switches are in the log, and what a page did after them', async () => {
  const stores = openStores(tempDirectory())
  const written: string[] = []
  const note = async (what: string, turns = 1) => {
    for (let taken = 0; taken < turns; taken++) await turn()
    written.push(what)
  }
  const auditLog = {
    ...stores.auditLog,
    append: ({ what }: { readonly what: string }) => note(what),
    appendSwitches: () => note('switches', 20),
  }
  const fail = (problem: unknown) => expect.unreachable(String(problem))
  const trail = createAuditTrail({ stores: { ...stores, auditLog }, warn: fail, bug: fail })
  const stop = trail.followSwitches(stores.config)
  const tell = trail.following(() => {})
  tell(
    { type: 'hook', op: 'create', label: 'Console', hookId: 'a'.repeat(32), name: 'dip' },
    { clientId: crypto.randomUUID(), origin: 'http://127.0.0.1:53220' },
  )
  await trail.settled()
  stop()
  expect(written).toEqual(['switches', 'hook create'])
})
