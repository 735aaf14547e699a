// A hookline with a hook, and a page that is subscribed to what changes.
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

export async function busy() {
  const app = await startApp()
  const hook = await app.createHook('echo fired')
  const client = await WsClient.welcomed(app)
  client.send({ t: 'subscribe', topics: ['accounts', 'hooks', 'hook-output'] })
  await client.nextFrame('state:accounts')
  await client.nextFrame('state:hooks')
  const set = (flags: object) => app.writeConfig({ listener: flags })
  return { app, hook, client, set }
}
