// What holds behind a real proxy, whichever it is: the right alert fires once, and nothing else fires.
import { statSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { tempDirectoryOfFile } from '../../harness/files/temp-directory.ts'
import type { ProxyKind } from '../../src/proxies/proxy-spec.ts'
import { accepted, alertOf, DIP, DOMAIN, FLAT, INNER, ProxyStage, startBehind, statusesIn } from './proxy-stage.ts'
import { FORGED, RIGHT, type Sender, SMUGGLED, WRONG } from './senders.ts'

/** After each sender comes a right alert of this size: once it has run, all that came before it has. */
const MARK = '499'

export function describeProxy(kind: ProxyKind): void {
  describe(`behind ${kind}`, () => {
    const directory = tempDirectoryOfFile()
    const found = inject('proxies')[kind]
    let made: ProxyStage | undefined
    beforeAll(async () => {
      if ('missing' in found) return
      made = new ProxyStage(kind, found, directory)
      await made.start()
    })
    afterAll(() => made?.stop())
    beforeEach(({ skip }) => {
      if ('missing' in found) skip(found.missing)
    })
    const stage = (): ProxyStage => {
      if (made === undefined) throw new Error(`${kind} was not started`)
      return made
    }
    describeSenders(stage)
    describeResends(stage)
    describeSlow(stage)
    describeDown(stage)
    describeHeard(stage)
    describeRest(stage)
  })
}

function describeSenders(stage: () => ProxyStage): void {
  async function judge({ bytes, how, told, runs = [] }: Sender): Promise<void> {
    const app = await startBehind()
    const answer = await stage().send(bytes, how)
    const status = typeof told === 'string' ? told : told[stage().kind]
    expect(statusesIn(answer)).toBe(status)
    await mark(stage())
    expect(await accepted(app)).toEqual([...runs, `flat ${MARK}`])
    expect(app.done.filter(({ result }) => !result.success)).toEqual([])
    expect(app.unbegun.length).toBe(status === '422' ? 1 : 0)
  }

  it.each(RIGHT)('$who is heard', judge)

  it.each(FORGED)('%s from outside is dropped, and the alert fires its own hook once', async (_what, head) => {
    await judge({ who: '', bytes: alertOf({ head }), told: '200', runs: ['dip 100'] })
  })

  it.each(WRONG)('$who fires nothing', judge)

  it.each(SMUGGLED)('$who: nothing that is hidden runs', async ({ bytes, told, runs = [] }) => {
    const app = await startBehind()
    const answer = await stage().send(bytes)
    await mark(stage())
    const fires = await accepted(app)
    expect(fires.filter((each) => each.startsWith(INNER.name))).toEqual([])
    // A proxy that takes the chunks' word, as the standard has it, hears one right alert.
    const hasFired = fires.length > 1
    if (hasFired) expect(fires).toEqual(['dip 100', `flat ${MARK}`])
    else expect(fires).toEqual([...runs, `flat ${MARK}`])
    if (!hasFired) expect(statusesIn(answer)).toBe(typeof told === 'string' ? told : told[stage().kind])
  })
}

/** `SLOW_BODY` takes 6 s, its first half stops after 3 s. */
const SLOW_BODY = '{"size":"100"}'
const SLOW_EVERY_MS = 430

function describeSlow(stage: () => ProxyStage): void {
  it('a body that takes over 5 s in all, or that stops, fires nothing and is never told 200', async () => {
    const app = await startBehind()
    const [slow, stopped] = await Promise.all([
      stage().sendSlowly(SLOW_BODY, SLOW_EVERY_MS),
      stage().sendSlowly(SLOW_BODY, SLOW_EVERY_MS, SLOW_BODY.length / 2),
    ])
    expect(statusesIn(slow)).toBe({ nginx: '400', caddy: '422', haproxy: '408' }[stage().kind])
    expect(statusesIn(stopped)).toBe({ nginx: '', caddy: '422', haproxy: '408' }[stage().kind])
    await mark(stage())
    expect(await accepted(app)).toEqual([`flat ${MARK}`])
  })
}

/** A right alert to the other hook: what came before it has been decided. */
async function mark(stage: ProxyStage): Promise<void> {
  const answer = await stage.send(alertOf({ target: `/${FLAT.path}`, body: `{"size":"${MARK}"}` }))
  expect(statusesIn(answer)).toBe('200')
}

function describeResends(stage: () => ProxyStage): void {
  it('alerts on one connection each have their answer, in order', async () => {
    const app = await startBehind()
    const messages = ['1', '2', '3'].map((size) =>
      alertOf({ target: `/${FLAT.path}`, body: `size=${size}`, isLast: size === '3' }),
    )
    const [first, second, third] = messages
    const between = alertOf({ target: '/other', isLast: false })
    expect(statusesIn(await stage().send(`${first}${between}${second}${third}`))).toBe('200 404 200 200')
    expect(await accepted(app)).toEqual(['flat 1', 'flat 2', 'flat 3'])
  })

  it.each(['Idempotency-Key', 'webhook-id'])('a resend with the same %s orders nothing', async (header) => {
    const app = await startBehind()
    const message = alertOf({ head: `${header}: alert-7\r\n` })
    const answers = [await stage().send(message), await stage().send(message), await stage().send(message)]
    expect(answers.map(statusesIn)).toEqual(['200', '200', '200'])
    expect(new Set(answers.map((each) => /"runId":"([^"]+)"/.exec(each)?.[1])).size).toBe(1)
    await mark(stage())
    expect(await accepted(app)).toEqual(['dip 100', `flat ${MARK}`])
  })
}

function describeDown(stage: () => ProxyStage): void {
  it('with hookline down a sender is told what nobody sends again on', async () => {
    expect(statusesIn(await stage().send(alertOf()))).toBe('424')
  })

  it('with the listener off it is 424 too, in place of 503', async () => {
    const app = await startBehind({ listener: { enabled: true, remoteExec: true } })
    app.writeConfig({ listener: { enabled: false, remoteExec: true } })
    await expect.poll(async () => statusesIn(await stage().send(alertOf()))).toBe('424')
    expect(app.done.filter(({ result }) => !result.success)).toEqual([])
  })

  it.each([
    ['never answers', () => {}],
    ['hangs up', (socket: Socket) => socket.destroy()],
    ['breaks off in the answer', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ['says 503', (socket: Socket) => socket.end('HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')],
  ])(
    'a hookline that takes an alert and %s has heard it once, and the sender hears no 5xx within 3 s',
    async (_how, reply) => {
      const heard: string[] = []
      await listenInstead((socket) => {
        socket.on('data', (bytes) => {
          heard.push(String(bytes))
          if (String(bytes).includes('"100"')) reply(socket)
        })
      })
      const startedAt = performance.now()
      expect(statusesIn(await stage().send(alertOf({ head: 'Idempotency-Key: again\r\n' })))).toBe('424')
      expect(performance.now() - startedAt).toBeLessThan(3_000)
      expect(heard.join('').match(/^POST /gm)).toHaveLength(1)
      expect(heard.join('').toLowerCase()).toContain(`x-hook-token: ${DIP.secret}`)
    },
  )

  it('an alert on a connection that was used before, and hung up on, is heard once', async () => {
    const heard: string[] = []
    await listenInstead((socket) => {
      socket.on('data', (bytes) => {
        heard.push(String(bytes))
        if (String(bytes).includes('"100"')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
        if (String(bytes).includes('"200"')) socket.destroy()
      })
    })
    expect(statusesIn(await stage().send(alertOf()))).toBe('200')
    const second = alertOf({ body: '{"size":"200"}', head: 'Idempotency-Key: again\r\n' })
    expect(statusesIn(await stage().send(second))).toBe('424')
    expect(heard.join('').match(/"200"/g)).toHaveLength(1)
    expect(heard.join('').match(/POST \/hook\//g)).toHaveLength(2)
  })
}

function describeHeard(stage: () => ProxyStage): void {
  it('what hookline hears of an alert is from the proxy: its token, its word on the address, the name that was called', async () => {
    let heard = ''
    await listenInstead((socket) => {
      socket.on('data', (bytes) => {
        heard += String(bytes)
        if (heard.includes('"100"')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      })
    })
    const forged = FORGED.map(([, head]) => head).join('')
    expect(statusesIn(await stage().send(alertOf({ head: `${forged}webhook-id: 7\r\n` })))).toBe('200')
    const [first = '', ...lines] = (heard.split('\r\n\r\n', 1)[0] ?? '').split('\r\n')
    expect(first).toBe(`POST /hook/${DIP.id} HTTP/1.1`)
    const named = lines.map((line) => line.toLowerCase()).toSorted()
    expect(named.filter((line) => !IN_PASSING.test(line))).toEqual([
      'content-length: 14',
      'content-type: application/json',
      `host: ${DOMAIN}`,
      'webhook-id: 7',
      'x-forwarded-for: 127.0.0.1',
      `x-hook-token: ${DIP.secret}`,
    ])
  })
}

function describeRest(stage: () => ProxyStage): void {
  it('behind a tunnel it listens without TLS, and to the path and the host alone', async () => {
    const app = await startBehind()
    expect(statusesIn(await stage().sendThroughTunnel(alertOf({ host: 'other.example' })))).toBe('404')
    expect(statusesIn(await stage().sendThroughTunnel(alertOf({ target: `/hook/${INNER.id}` })))).toBe('404')
    const head =
      'CF-Connecting-IP: 52.89.214.238\r\nCF-Ray: 8\r\nX-Forwarded-For: 52.89.214.238\r\nTailscale-User-Login: a@b\r\n'
    expect(statusesIn(await stage().sendThroughTunnel(alertOf({ head })))).toBe('200')
    await mark(stage())
    expect(await accepted(app)).toEqual(['dip 100', `flat ${MARK}`])
  })

  it('over its rate it answers 429, and hookline hears nothing of it', async ({ skip }) => {
    if (stage().kind === 'caddy') skip('Caddy has no limit of alerts in a minute')
    const app = await startBehind()
    const told: string[] = []
    for (let sent = 0; sent < 8; sent++) told.push(statusesIn(await stage().sendThroughTunnel(alertOf())))
    const through = told.filter((status) => status === '200').length
    expect(told.slice(-2)).toEqual(['429', '429'])
    expect(through).toBeLessThanOrEqual(3)
    await mark(stage())
    expect(await accepted(app)).toHaveLength(through + 1)
  })

  it('leaves neither the paths nor a token in what it prints, logs and keeps', () => {
    const found = stage()
      .traces()
      .flatMap(([file, text]) =>
        [DIP.path, FLAT.path, DIP.secret, FLAT.secret]
          .filter((secret) => text.includes(secret))
          .map((secret) => `${file}: ${secret}`),
      )
    // Caddy keeps what it was told, for its user alone.
    const kept = found.map((each) => each.replace(/: .*/, '')).filter((file) => file.endsWith('/autosave.json'))
    expect(kept.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([])
    expect(found.filter((each) => !kept.some((file) => each.startsWith(file)))).toEqual([])
    expect(
      stage()
        .traces()
        .map(([, text]) => text)
        .join(''),
    ).toContain('424')
  })
}

/** About the connection, and what Caddy says besides. */
const IN_PASSING = /^(?:connection|x-forwarded-(?:host: alerts\.example|proto: https)|x_hook_token)\b/

/** In place of hookline. */
async function listenInstead(onSocket: (socket: Socket) => void): Promise<void> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(53219, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
}
