// Faults of names: a program that has learnt who a page is, or has taken the port to learn it, and wants to pass for it (behaviour 48).
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { type SquatMode, startSquatter } from '../../harness/process/squatter.ts'
import { newTestKey, ProvingClient, type Signing, type TestKey } from '../../harness/wire/proving-client.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { openIdentity, openListenerKey } from '../../src/stores/identity.ts'
import { builtPage, createMemoryPin, keysOf, newKeyPair } from './built-client.ts'
import { readJournal } from './journal-lines.ts'
import { doorOpens } from './request-in-bytes.ts'
import { scenario } from './scenario.ts'
import { trustPages } from './trusted-page.ts'

const TWIN = 'http://localhost:53220'
const ROUNDS = 20

const FORGERIES: readonly ((victim: ProvingClient) => Signing)[] = [
  () => ({ by: newTestKey() }),
  () => ({ as: 'listener' }),
  () => ({ over: { clientId: randomUUID() } }),
  () => ({ over: { origin: TWIN } }),
  ({ exchange }) => ({ over: { listenerNonce: exchange.clientNonce, clientNonce: exchange.listenerNonce } }),
  ({ exchange }) => ({ over: { listenerKey: exchange.clientKey, clientKey: exchange.listenerKey } }),
  () => ({ over: { listenerKey: newTestKey().publicKey } }),
]

interface Victim {
  readonly clientId: string
  readonly key: TestKey
}

/** @returns the close code of each attempt; 0 for one that was welcomed */
async function thefts({ clientId, key }: Victim): Promise<number[]> {
  const ends: Promise<number>[] = []
  for (const origin of [ORIGIN, TWIN]) ends.push(endOf(await WsClient.hello({ clientId }, origin)))
  const heard = (await ProvingClient.challenged({ clientId, key })).signature()
  for (const forge of FORGERIES) {
    const thief = await ProvingClient.challenged({ clientId, key })
    ends.push(endOf(thief.prove(forge(thief)).ws))
  }
  const replay = await ProvingClient.challenged({ clientId, key })
  replay.ws.send({ t: 'proof', signature: heard })
  const reflect = await ProvingClient.challenged({ clientId, key })
  reflect.ws.send({ t: 'proof', signature: reflect.challenge.signature })
  ends.push(endOf(replay.ws), endOf(reflect.ws))
  return Promise.all(ends)
}

async function endOf(client: WsClient): Promise<number> {
  client.send({ t: 'cmd:exec', id: 'theft', command: 'buy 0.001 BTCUSDT' })
  const { code } = await client.closed()
  return client.untaken.some(({ t }) => t === 'welcome') ? 0 : code
}

scenario(
  'proof',
  'a page that is known by a key is impersonated: its name alone, proofs replayed, reflected, moved and forged',
  `all ${ROUNDS * (FORGERIES.length + 4)} attempts end with 4401, none is welcomed and nothing runs; the page itself is welcomed`,
  async () => {
    const directory = tempDirectory()
    const victim = { clientId: randomUUID(), key: newTestKey() }
    trustPages(directory, { clientId: victim.clientId, key: victim.key.publicKey })
    await RunningHookline.listening(directory)
    await doorOpens()
    const codes: number[] = []
    for (let round = 0; round < ROUNDS; round++) codes.push(...(await thefts(victim)))
    const own = await ProvingClient.proved(victim)
    await own.ws.nextFrame('welcome')
    const refused = codes.filter((code) => code === 4401).length
    const opened = codes.filter((code) => code === 0).length
    const runs = readJournal(directory).lines.filter(({ t }) => t === 'start').length
    return {
      got: `${codes.length} attempts, ${refused} ended with 4401, ${opened} opened, ${runs} runs`,
      holds: refused === codes.length && opened === 0 && runs === 0,
    }
  },
)

const MODES: readonly SquatMode[] = ['welcome', 'own-key', 'forged']

scenario(
  'port-squat',
  'while hookline is down another user’s program takes its port: it welcomes pages, shows a key of its own, or hookline’s',
  'a page sends it hello and nothing else; what it heard opens no session once hookline is back, and the page’s own does',
  async () => {
    const directory = tempDirectory()
    const clientId = randomUUID()
    const keys = await keysOf(await newKeyPair())
    trustPages(directory, { clientId, key: keys.publicKey })
    let hookline = await RunningHookline.listening(directory)
    await doorOpens()
    const { listenerId } = await openIdentity(directory).load()
    const { publicKey: key } = await openListenerKey(directory).load()
    const heard: string[] = []
    const uids = new Set<number | undefined>()
    let opened = 0
    for (const mode of MODES) {
      const ended = once(hookline.child, 'exit')
      hookline.child.kill('SIGTERM')
      await ended
      const squatter = await startSquatter(mode, { listenerId, key })
      uids.add(squatter.uid)
      const pin = createMemoryPin({ listenerId, key })
      const page = builtPage(clientId, undefined, { keys, pin, origin: ORIGIN })
      page.client.subscribe('accounts')
      page.client.connect()
      page.client.setWebCrossTradeActive(true)
      await page.until('unproven-listener')
      await page.client.exec('buy 0.001 BTCUSDT').result.catch(() => {})
      await squatter.leftAlone()
      heard.push(...squatter.heard.map((text) => JSON.parse(text).t))
      await squatter.end()
      hookline = await RunningHookline.listening(directory)
      await doorOpens()
      for (const text of squatter.heard) {
        const { key: _key, nonce: _nonce, ...nameAlone } = JSON.parse(text)
        const replayed = (await WsClient.open()).send(text)
        await replayed.nextFrame('challenge')
        replayed.send({ t: 'proof', signature: 'A'.repeat(86) })
        const codes = await Promise.all([endOf(replayed), endOf((await WsClient.open()).send(nameAlone))])
        opened += codes.filter((code) => code === 0).length
      }
      page.client.connect()
      await page.until('welcomed')
      page.client.disconnect()
    }
    const others = heard.filter((t) => t !== 'hello').length
    return {
      got: `${MODES.length} squatters of uid ${[...uids].join()}, heard ${heard.length} hello and ${others} other frames, opened ${opened}`,
      holds: heard.length === MODES.length && others === 0 && opened === 0,
    }
  },
)
