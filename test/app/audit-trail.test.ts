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

it('logs the switches as they are when their turn comes, and an edit back to what they were before', async () => {
  const stores = openStores(tempDirectory())
  const switches = { ...stores.config.read().listener, remoteExec: true }
  let edited = (): void => expect.unreachable('the switches are not watched')
  const config = {
    ...stores.config,
    read: () => ({ ...stores.config.read(), listener: switches }),
    watch: (handler: () => void) => {
      edited = handler
      return () => {}
    },
  }
  const logged: unknown[] = []
  const auditLog = {
    ...stores.auditLog,
    appendSwitches: async (read: () => unknown) => {
      // Another process may have the lock.
      await turn()
      logged.push(read())
    },
  }
  const fail = (problem: unknown) => expect.unreachable(String(problem))
  const trail = createAuditTrail({ stores: { ...stores, auditLog }, warn: fail, bug: fail })
  trail.followSwitches(config)
  switches.remoteExec = false
  await trail.settled()
  switches.remoteExec = true
  edited()
  await trail.settled()
  expect(logged).toMatchObject([{ remoteExec: false }, { remoteExec: true }])
})
