// The sockets of the bench are let in by the built hookline: what a page must say, and what must be on the disk, is theirs to keep up with.
import { expect, onTestFinished, test } from 'vitest'
import { LoadSocket, openMany, startHookline, trustClients } from './bench-parts.mjs'

test('trusted clients of the bench are welcomed, many at once', async () => {
  const server = await startHookline(0)
  onTestFinished(server.stop)
  const clientIds = trustClients(server.directory, 150)
  const sessions = await openMany(clientIds.length, (index) =>
    LoadSocket.openSession(server.port, clientIds[index] ?? ''),
  )
  expect(sessions).toHaveLength(clientIds.length)
  for (const session of sessions) session.close()
})
