import { ORIGIN } from '../wire/ws-client.ts'

/**
 * A program as users write it with Node's own WebSocket: runs one command and prints what it says, then its result as JSON. Its first
 * argument is the clientId, which must be trusted.
 * @param client where it imports the client library from
 */
export function botProgram(client: string): string {
  return `
import { createHooklineClient, createMemoryPin } from '${client}'

class OriginWebSocket extends WebSocket {
  constructor(url) {
    super(url, { headers: { Origin: '${ORIGIN}' } })
  }
}
const [clientId] = process.argv.slice(2)
const client = createHooklineClient({ clientId, label: 'bot', pin: createMemoryPin(), WebSocket: OriginWebSocket })
client.onState(async ({ name }) => {
  if (name !== 'welcomed') return
  const run = client.exec('echo from a program')
  for await (const { text } of run) console.log(text)
  console.log(JSON.stringify(await run.result))
  client.disconnect()
})
client.connect()
`
}
