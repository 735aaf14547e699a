// Moves `hookline/client` for the runner: see README.md, "A client of your own".
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'

// Built, as a program has it: its types are those of src/client.
const { createHooklineClient, createMemoryPin, keysOf, newKeyPair } = await import(
  new URL('../dist/client.js', import.meta.url).href
)

const { url, origin, clientId, label, keyed } = JSON.parse(process.env.HOOKLINE_CONFORMANCE ?? '{}')

class OriginWebSocket extends WebSocket {
  constructor(/** @type {string} */ address) {
    super(address, { origin, perMessageDeflate: false })
  }
}

/** By the client's own names. @type {Readonly<Record<string, string>>} */
const STATES = { 'awaiting-approval': 'asking', 'waiting-to-reconnect': 'retrying' }

const report = (/** @type {object} */ event) => process.stdout.write(`${JSON.stringify(event)}\n`)

const client = createHooklineClient({
  url,
  origin,
  clientId,
  label,
  pin: createMemoryPin(),
  WebSocket: OriginWebSocket,
  ...(keyed ? { keys: await keysOf(await newKeyPair()) } : {}),
})
client.onState((/** @type {{ name: string, retryAt: number }} */ state) => {
  const retryMs = state.name === 'waiting-to-reconnect' ? state.retryAt - Date.now() : undefined
  report({ state: STATES[state.name] ?? state.name, retryMs })
})

/** @param {{ id: string, command: string }} line */
async function exec({ id, command }) {
  const run = client.exec(command)
  try {
    for await (const { text } of run) report({ output: { id, text } })
    const { success } = await run.result
    report({ result: { id, success } })
  } catch (error) {
    report({ result: { id, failed: Reflect.get(/** @type {object} */ (error), 'delivery') } })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const step = JSON.parse(line)
  if (step.do === 'exec') void exec(step)
  if (step.do === 'subscribe') client.subscribe(...step.topics)
})
client.connect()
