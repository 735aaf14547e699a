// Notices in the whole app: what is told of hooks, orders and halts, to whom, and that no run waits for it or fails by it (behaviour 50).
import { createHmac } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type NoticeReceiver, type Received, receiveNotices } from '../../harness/network/notice-receiver.ts'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { fire } from '../../harness/wire/wire-rows.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { MAX_WAITING } from '../../src/notices/waiting-notices.ts'

const KEY = Buffer.alloc(32, 5)
const SECRETS = [KEY.toString('base64'), 'TokenOfTheBot']
const TOKEN = `123456789:${'TokenOfTheBot'.repeat(3)}`

/** An app whose notices go to a webhook and to a bot, both here. */
async function telling(receiver: NoticeReceiver, settings: object = {}): Promise<RunningApp> {
  const directory = tempDirectory()
  const secretIn = (name: string, secret: string) => {
    const path = join(tempDirectory(), name)
    writeFileSync(path, JSON.stringify({ secret }))
    chmodSync(path, 0o600)
    return { from: 'file', path }
  }
  const notices = {
    webhooks: [
      { name: 'phone', url: `${receiver.origin}/in`, keys: secretIn('whsec', `whsec_${KEY.toString('base64')}`) },
    ],
    telegram: { chatId: '42', keys: secretIn('token', TOKEN), kinds: [] },
    ...settings,
  }
  return startApp({ directory, config: { notices }, telegramApi: receiver.origin })
}

interface Told {
  readonly type: string
  readonly data: { readonly kind: string; readonly severity: string; readonly text: string; readonly hook?: string }
}

const toldTo = ({ received }: NoticeReceiver): readonly Told[] =>
  received.filter(({ url }) => url === '/in').map(({ body }) => JSON.parse(body) as Told)

describe('a hook', () => {
  it('that fails is told, signed, with its name and why', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('close NOSUCH && buy 0.01 NOSUCH'))
    await receiver.came(1)
    const text = expect.stringMatching(/^hook hook-1 failed: /)
    expect(toldTo(receiver)).toMatchObject([
      { type: 'notice.failed-hook', data: { severity: 'warn', hook: 'hook-1', text } },
    ])
    const [{ headers, body }] = receiver.received as [Received]
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', KEY).update(content).digest('base64')}`)
  })

  it('whose order a limit refused is told once, as that', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await app.app.ports.guards.setLimits('paper', { order: '100' })
    await fire(await app.createHook('buy $500 BTCUSDT'))
    await app.runsDone(1)
    await fire(await app.createHook('notify end'))
    await receiver.came(2)
    expect(toldTo(receiver).map(({ data }) => [data.kind, data.text])).toEqual([
      ['guard', expect.stringMatching(/^hook hook-1: the order is worth \$\d+\.\d\d, and the limit is \$100\.00/)],
      ['said', 'end'],
    ])
  })

  it('that buys is told as a fill, and what rests is not', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('buy 0.01 BTCUSDT at -20%; buy 0.01 BTCUSDT; notify end'))
    await receiver.came(2)
    expect(toldTo(receiver).map(({ data }) => [data.kind, data.text])).toEqual([
      ['fill', expect.stringMatching(/^bought 0\.01 BTCUSDT at /)],
      ['said', 'end'],
    ])
  })

  it('is told what its alert fills into a slot, and can say nothing but what the slot allows', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    const hook = await app.createHook('notify went {side:in(long,short)} "{side:in(long,short)}"')
    const post = (side: string) =>
      fetch(`http://127.0.0.1:53219/hook/${hook.id}`, {
        method: 'POST',
        headers: { 'X-Hook-Token': hook.secret },
        body: JSON.stringify({ side }),
      })
    expect((await post('long; buy $100')).status).toBe(422)
    expect((await post('short')).status).toBe(200)
    await receiver.came(1)
    expect(toldTo(receiver).map(({ data }) => data.text)).toEqual(['went short {side:in(long,short)}'])
  })

  it('that floods is cut after ten texts, and its runs go on', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('repeat 40 (notify text; echo on)'))
    await app.runsDone(1)
    expect(app.done[0]?.result).toEqual({ success: true })
    expect(app.output.filter((line) => line === 'print on')).toHaveLength(40)
    expect(app.output.filter((line) => line.startsWith('warn not told, for too much was said'))).toHaveLength(30)
    expect(app.app.ports.notices.status()[1]).toMatchObject({ name: 'phone', leftOut: 0 })
  })
})

describe('a receiver', () => {
  it('that never answers delays no run, and no other channel', async () => {
    const receiver = await receiveNotices((response, index) => {
      if (receiver.received[index]?.url === '/in') return
      response.end('{"ok":true}')
    })
    const app = await telling(receiver, { telegram: undefined })
    const hook = await app.createHook('notify "first"; buy 0.01 BTCUSDT; notify "second"')
    await fire(hook)
    // The run is over while the receiver still holds the first request, unanswered.
    await app.runsDone(1)
    expect(app.done[0]?.result).toEqual({ success: true })
    await receiver.came(1)
    expect(app.app.ports.notices.status()).toMatchObject([{ name: 'phone', sent: 0, failed: 0, waiting: 2 }])
    await fire(hook)
    await app.runsDone(2)
    expect(receiver.received).toHaveLength(1)
  })

  it('that never answers holds a bounded queue, whatever fails', async () => {
    const receiver = await receiveNotices(() => {})
    const app = await telling(receiver)
    const { notices } = app.app.ports
    for (let n = 0; n < MAX_WAITING + 50; n++)
      notices.tell({ kind: 'task', severity: 'warn', text: `task ${n} failed` })
    await receiver.came(1)
    expect(notices.status()[1]).toMatchObject({ name: 'phone', waiting: MAX_WAITING - 1, leftOut: 50 })
    await app.app.stop(0)
    expect(receiver.received.length).toBeLessThanOrEqual(2)
  })

  it('that answers 404 is told in the terminal once, without its address', async () => {
    const receiver = await receiveNotices((response) => void response.writeHead(404).end())
    const app = await telling(receiver)
    await fire(await app.createHook('notify one; notify two; notify three'))
    await receiver.came(3)
    await expect.poll(() => app.app.ports.notices.status()[1]).toMatchObject({ failed: 3 })
    const told = app.warnings.filter((text) => text.startsWith('notices:'))
    expect(told).toEqual([
      'notices: channel phone does not work: the receiver answered with status 404; `notices` shows what was not sent',
    ])
  })

  it('gets what still waits when hookline stops', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('notify "last words"'))
    await app.runsDone(1)
    await app.app.stop(0)
    expect(toldTo(receiver).map(({ data }) => data.text)).toEqual(['last words'])
  })
})

describe('halts and panic', () => {
  it('are told, whoever said so, and so is their end', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    await fire(await app.createHook('halt paper'))
    await receiver.came(1)
    await app.app.ports.guards.release('paper')
    await receiver.came(2)
    await app.app.ports.panic.begin('the terminal')
    await receiver.came(3)
    expect(toldTo(receiver).map(({ data }) => [data.kind, data.severity, data.text])).toEqual([
      ['halt', 'urgent', 'account paper is halted, by hook hook-1'],
      ['halt', 'info', 'account paper sends orders again'],
      ['halt', 'urgent', 'panic is on, by the terminal'],
    ])
  })
})

describe('a channel', () => {
  it('gets the kinds that it names', async () => {
    const receiver = await receiveNotices()
    const settings = { telegram: { chatId: '42', kinds: ['halt'] } }
    const app = await telling(receiver, settings)
    await fire(await app.createHook('notify hello; halt paper'))
    await receiver.came(2)
    expect(app.app.ports.notices.status().map(({ name }) => name)).toEqual(['telegram', 'phone'])
    const error = 'channel telegram has no secret'
    await expect.poll(() => app.app.ports.notices.status()[0]).toMatchObject({ failed: 1, last: { error } })
  })

  it('gets only what is urgent in quiet hours, and nothing of the rest later', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver)
    const now = new Date()
    const clock = (hours: number) => `${String((now.getHours() + hours + 24) % 24).padStart(2, '0')}:00`
    await app.app.ports.config.changeNotices((notices) => ({
      ...(notices as object),
      quiet: `${clock(-1)}-${clock(2)}`,
    }))
    await fire(await app.createHook('notify "not now"; halt paper'))
    await receiver.came(1)
    await app.app.stop(0)
    expect(toldTo(receiver).map(({ data }) => data.kind)).toEqual(['halt'])
  })

  it('of a mistyped row is left out, told, and takes no other with it', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver, { telegram: { chatId: '@me' }, quiet: 'at night' })
    expect(app.app.ports.config.read().notices.channels.map(({ name }) => name)).toEqual(['phone'])
    const told = app.app.problems().map(({ message }) => message)
    expect(told).toEqual([
      expect.stringContaining('notices.quiet must be two times of day'),
      expect.stringContaining('notices.telegram.chatId must be the number of a chat'),
    ])
  })
})

describe('a secret of a channel', () => {
  it('is in no file of hookline, no line and no frame, whatever the receivers do', async () => {
    const receiver = await receiveNotices((response, index) => {
      if (index % 3 === 0) response.writeHead(401).end('{"ok":false,"description":"Unauthorized"}')
      else if (index % 3 === 1) response.destroy()
      else response.end('{"ok":true}')
    })
    const app = await telling(receiver, {})
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['notices', 'hook-output'] })
    await client.nextFrame('state:notices')
    const run = (command: string) => app.app.runner.run({ runId: command, source: 'exec', command })
    for (const command of ['notices', 'notices test', 'notices test telegram', 'notices test phone', 'audit']) {
      await run(command)
    }
    await fire(await app.createHook('notify one; notify two'))
    await client.nextFrame('state:notices')
    await app.app.stop(0)
    const files = readdirSync(app.directory).map((name) => [name, readFileSync(join(app.directory, name), 'latin1')])
    const seen = [...files.flat(), ...app.output, ...app.warnings, JSON.stringify(client.untaken)].join('\n')
    expect(receiver.received.some(({ url }) => url.includes(TOKEN))).toBe(true)
    for (const secret of SECRETS) expect(seen).not.toContain(secret)
    expect(seen).toContain('phone')
  })

  it('that is in the vault is not had while the vault is locked, and the run goes on', async () => {
    const receiver = await receiveNotices()
    const app = await telling(receiver, {
      webhooks: [{ name: 'phone', url: receiver.origin, keys: { from: 'vault' } }],
    })
    await fire(await app.createHook('notify hello'))
    await app.runsDone(1)
    expect(app.done[0]?.result).toEqual({ success: true })
    await expect
      .poll(() => app.warnings)
      .toContainEqual(
        expect.stringMatching(
          /^notices: channel phone does not work: the secret of channel phone cannot be had from the vault/,
        ),
      )
    expect(receiver.received).toEqual([])
    expect(existsSync(join(app.directory, 'vault.json'))).toBe(false)
  })
})

describe('the topic', () => {
  it('has the last notices at once, each new one after, and none while accounts are not shown', async () => {
    const app = await startApp()
    const hook = await app.createHook('notify one')
    await fire(hook)
    await app.runsDone(1)
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['notices'] })
    expect(await client.nextFrame('state:notices')).toMatchObject({ notices: [{ id: 1, text: 'one', count: 1 }] })
    await fire(hook)
    expect(await client.nextFrame('state:notices')).toMatchObject({ notices: [{ id: 1, text: 'one', count: 2 }] })
    app.writeConfig({ listener: { accountSync: false } })
    const late = await WsClient.welcomed(app)
    late.send({ t: 'subscribe', topics: ['notices'] })
    expect(await late.nextFrame('error')).toEqual({ t: 'error', error: 'notices: accountSync disabled' })
  })
})
