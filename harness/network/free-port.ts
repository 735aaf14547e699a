// Whether a fixed port can be had now, where the network is everybody's.
import { once } from 'node:events'
import { createServer } from 'node:net'

/** To clients the system lends any port, this one too, and keeps it for a minute after: those of other tests are many thousands. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
