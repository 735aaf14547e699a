// Fires whose body fills slots (behaviour 44): how it is read, what it becomes, and when it is not read at all.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { RawClient, rawRequest } from '../../../harness/wire/raw-http.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import type { Hook } from '../../../src/stores/hooks.ts'

const COMMAND = 'echo {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)}'
const BODY = '{"size":"250","symbol":"BINANCE:ETHUSDT.P"}'

function head({ id, secret }: Pick<Hook, 'id' | 'secret'>, more: string): string {
  return `POST /hook/${id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${secret}\r\n${more}\r\n`
}

function fire(hook: Pick<Hook, 'id' | 'secret'>, body: string, more = ''): string {
  return head(hook, `${more}Content-Length: ${Buffer.byteLength(body)}\r\n`) + body
}

async function withSlots(command = COMMAND) {
  const app = await startApp()
  return { ...app, hook: await app.createHook(command) }
}

const refused = (why: string) => ({
  status: 422,
  body: JSON.stringify({ ok: false, error: `bad alert: ${why}`, code: 'bad-alert' }),
})

describe('an alert', () => {
  it('fills the slots, and its values are in the journal', async () => {
    const { hook, output, runsDone, app } = await withSlots()
    const answer = await rawRequest(fire(hook, BODY))
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({ ok: true, command: COMMAND })
    await runsDone(1)
    expect(output).toEqual(['print $250 ETHUSDT'])
    const [run] = await app.ports.runArchive.find({ limit: 1 })
    expect(run).toMatchObject({ command: COMMAND, values: { size: '250', symbol: 'ETHUSDT' }, state: 'done' })
  })

  it('as key=value, in chunks, byte by byte, or after 100 Continue is the same', async () => {
    const { hook, output, runsDone } = await withSlots()
    expect((await rawRequest(fire(hook, 'size=1 symbol=btcusdt\n'))).status).toBe(200)
    const chunked = new RawClient().send(head(hook, 'Transfer-Encoding: chunked\r\n'))
    chunked.send('7\r\nsize=2 \r\n').send('e\r\nsymbol=BTCUSDT\r\n0\r\n\r\n')
    expect((await chunked.answer()).status).toBe(200)
    const slow = await new RawClient().connected()
    for (const byte of fire(hook, 'size=3 symbol=BTCUSDT')) slow.send(byte)
    expect((await slow.answer()).status).toBe(200)
    const patient = new RawClient().send(head(hook, 'Expect: 100-continue\r\nContent-Length: 21\r\n'))
    expect((await patient.answer()).status).toBe(100)
    expect((await patient.send('size=4 symbol=BTCUSDT').answer()).status).toBe(200)
    await runsDone(4)
    expect(output.toSorted()).toEqual([1, 2, 3, 4].map((size) => `print $${size} BTCUSDT`))
  })

  it('that are pipelined each have their own values and answer, in order', async () => {
    const { hook, output, runsDone, createHook } = await withSlots()
    const plain = await createHook('echo plain', { name: 'plain' })
    const bodies = ['size=1 symbol=BTCUSDT', 'size=nan symbol=BTCUSDT', 'size=3 symbol=ETHUSDT']
    const client = new RawClient().send(bodies.map((body) => fire(hook, body)).join('') + fire(plain, 'ignored'))
    const statuses: number[] = []
    for (let taken = 0; taken < 4; taken++) statuses.push((await client.answer()).status)
    expect(statuses).toEqual([200, 422, 200, 200])
    await runsDone(3)
    expect(output.toSorted()).toEqual(['print $1 BTCUSDT', 'print $3 ETHUSDT', 'print plain'])
  })

  it.each([
    ['', 'the body is empty'],
    ['size=250', 'symbol is missing'],
    ['size=501 symbol=BTCUSDT', 'size `501` is above 500'],
    ['size=1 symbol=BTCUSDT;nuke', 'symbol `BTCUSDT;nuke` is not one of BTCUSDT, ETHUSDT'],
    ['{"size":1,"size":2,"symbol":"BTCUSDT"}', '`size` is given twice'],
  ])('%j is 422: nothing runs, and the journal says why', async (body, why) => {
    const { hook, output, unbegun, app } = await withSlots()
    expect(await rawRequest(fire(hook, body))).toMatchObject(refused(why))
    expect(output).toEqual([])
    expect(unbegun.map(({ result }) => result)).toEqual([
      { success: false, error: `bad alert: ${why}`, unbegun: 'refused' },
    ])
    expect(await app.ports.runArchive.find({ limit: 1 })).toMatchObject([
      { state: 'failed', error: `bad alert: ${why}` },
    ])
  })
})

describe('the body of a fire', () => {
  it('is not waited for where the token is wrong, the switch off, or the hook without slots', async () => {
    const { hook, createHook, writeConfig } = await withSlots()
    const plain = await createHook('echo plain', { name: 'plain' })
    const announced = 'Content-Length: 500\r\n'
    expect((await rawRequest(head({ ...hook, secret: '0'.repeat(32) }, announced))).status).toBe(401)
    expect((await rawRequest(head(plain, announced))).status).toBe(200)
    writeConfig({ listener: { remoteExec: false } })
    expect((await rawRequest(head(hook, announced))).status).toBe(423)
  })

  it('over 64 KiB is refused, announced or not, and ends the connection', async () => {
    const { hook, done } = await withSlots()
    const over = LISTENER_LIMITS.bodyBytes + 1
    const announced = new RawClient().send(head(hook, `Content-Length: ${over}\r\n`))
    expect(await announced.answer()).toMatchObject(refused('the body is larger than 64 KiB'))
    const chunked = new RawClient().send(head(hook, 'Transfer-Encoding: chunked\r\n'))
    chunked.send(`${over.toString(16)}\r\n${' '.repeat(over)}`)
    expect(await chunked.answer()).toMatchObject(refused('the body is larger than 64 KiB'))
    await chunked.ended()
    expect(done).toEqual([])
  })

  it('that does not come is refused after its time, and ends the connection', async () => {
    const { hook, done } = await withSlots()
    const began = performance.now()
    const client = new RawClient().send(head(hook, 'Content-Length: 500\r\n')).send('size=1')
    expect(await client.answer()).toMatchObject(refused('the body took longer than 5 s'))
    await client.ended()
    expect(performance.now() - began).toBeGreaterThanOrEqual(LISTENER_LIMITS.alertBodyMs - 50)
    expect(done).toEqual([])
  })

  it('whose sender goes away in the middle is no alert', async () => {
    const { hook, done, unbegun, app } = await withSlots()
    const client = await new RawClient().send(head(hook, 'Content-Length: 500\r\n')).send('size=1').connected()
    client.close()
    expect((await rawRequest(fire(hook, 'size=2 symbol=BTCUSDT'))).status).toBe(200)
    await expect.poll(() => done.length).toBe(1)
    expect(unbegun).toEqual([])
    expect(await app.ports.runArchive.find({ limit: 5 })).toHaveLength(1)
  })

  it('counts for nothing where the switch went off, or the token was changed, while it came', async () => {
    const { hook, writeConfig, app, done } = await withSlots()
    const body = 'size=1 symbol=BTCUSDT'
    const start = async () => {
      const client = new RawClient().send(head(hook, `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`))
      expect((await client.answer()).status).toBe(100)
      return client
    }
    const first = await start()
    writeConfig({ listener: { remoteExec: false } })
    expect((await first.send(body).answer()).status).toBe(423)
    writeConfig({})
    const second = await start()
    await app.ports.hooks.rotate(hook.id)
    expect((await second.send(body).answer()).status).toBe(401)
    expect(done).toEqual([])
  })
})
