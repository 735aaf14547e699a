// What channels do in the whole app: no run waits for a receiver or fails by it, and no secret is seen (behaviour 50).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { receiveNotices } from '../../harness/network/notice-receiver.ts'
import { exec } from '../../harness/process/hookline.ts'
import { fire } from '../../harness/wire/wire-rows.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { MAX_WAITING } from '../../src/notices/channel-sender.ts'
import { KEY, TOKEN, telling, toldTo } from './telling.ts'

const SECRETS = [KEY.toString('base64'), 'TokenOfTheBot']

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
    expect(app.app.ports.notices.status()).toMatchObject([{ name: 'phone', sent: 0, failed: 0, waiting: 3 }])
    await fire(hook)
    await app.runsDone(2)
    expect(receiver.received).toHaveLength(1)
  })

  it('that never answers holds a bounded queue, whatever fails', async () => {
    const receiver = await receiveNotices(() => {})
    const app = await telling(receiver)
    const { notices } = app.app.ports
    for (let n = 0; n < MAX_WAITING + 50; n++)
      notices.send({ kind: 'task', severity: 'warn', text: `task ${n} failed` })
    await receiver.came(1)
    expect(notices.status()[1]).toMatchObject({ name: 'phone', waiting: MAX_WAITING, leftOut: 50 })
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
    expect(await exec(app.directory, 'notices')).toMatch(
      /phone +http:\/\/127\.0\.0\.1:\d+\/… +all +[-0-9: ]+ UTC: sent/,
    )
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
