// SIGUSR1, with which Node opens its inspector to every user of the machine, and with which some tools rotate logs.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { LISTENING, RunningHookline } from '../../harness/process/hookline.ts'

/** Where Node's inspector listens. */
const INSPECTOR_PORT = 9229

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

it.each([[[]], [['listen']], [['web']]])('opens no inspector and ends no `hookline %s`', async (args) => {
  const hookline = new RunningHookline(tempDirectory(), args)
  await hookline.prints(args[0] === 'web' ? 'console on' : LISTENING)
  for (let times = 0; times < 3; times++) hookline.signal('SIGUSR1')
  // An inspector says on standard error that it listens, before it can be reached.
  hookline.signal('SIGTERM')
  const { stderr, code } = await hookline.ended()
  expect([stderr, code]).toEqual(['', 0])
})

it('leaves the port of the inspector closed while it runs', async () => {
  const hookline = new RunningHookline(tempDirectory())
  await hookline.prints(LISTENING)
  hookline.signal('SIGUSR1')
  hookline.say('echo still here')
  await hookline.prints('still here')
  expect(await isOpen(INSPECTOR_PORT)).toBe(false)
})
