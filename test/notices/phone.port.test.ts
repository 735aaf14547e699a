// The operator's phone with the whole app and a stand-in of the Bot API: what is written and pressed runs once, for the proven person alone.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BotApi } from '../../harness/network/bot-api.ts'
import { startApp } from '../../harness/process/running-app.ts'
import { fire } from '../../harness/wire/wire-rows.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { TOKEN } from './telling.ts'

function settingsIn(listensTo: string, api: string) {
  const path = join(tempDirectory(), 'token')
  writeFileSync(path, JSON.stringify({ secret: TOKEN }))
  chmodSync(path, 0o600)
  const telegram = { chatId: '42', kinds: [], keys: { from: 'file', path }, listensTo, api }
  return { notices: { telegram } }
}

async function stage({ directory = tempDirectory(), listensTo = '42', firstUpdate = 700 } = {}) {
  const api = await BotApi.start(firstUpdate)
  const app = await startApp({ directory, config: settingsIn(listensTo, api.origin) })
  const lines = () => app.app.runner.runs().map(({ command, source }) => `${source}: ${command}`)
  return { api, app, directory, lines }
}

describe('a chat that was proven', () => {
  it('looks', async () => {
    const { api, lines } = await stage()
    api.write('positions')
    await expect.poll(() => api.sent).toHaveLength(1)
    expect(api.sent[0]).toMatch(/^account paper\n.*no open positions/s)
    expect(lines()).toEqual(['phone: positions'])
  })

  it('closes with one press of a button, once, and what is shown is what runs', async () => {
    const { api, app, lines } = await stage()
    await app.app.runner.run({ runId: 'a'.repeat(8), source: 'repl', command: 'buy 0.01 BTCUSDT' })
    api.write('close BTCUSDT')
    await expect.poll(() => api.button).toBeDefined()
    expect(api.sent[0]).toMatch(/^`close BTCUSDT` on account paper\n/)
    const { button } = api
    const press = button && api.press(button)
    await expect.poll(() => api.sent).toHaveLength(2)
    expect(api.sent[1]).toMatch(/^`close BTCUSDT` on account paper\n.*sold 0\.01 BTC/s)
    if (press) api.repeat(press)
    if (button) api.press(button)
    await expect.poll(() => api.calls.filter(({ method }) => method === 'answerCallbackQuery')).toHaveLength(2)
    expect(lines().filter((line) => line === 'phone: close BTCUSDT')).toHaveLength(1)
  })

  it('stops everything that acts with panic, and cannot resume', async () => {
    const { api, app } = await stage()
    api.write('panic')
    await expect.poll(() => api.button).toBeDefined()
    if (api.button) api.press(api.button)
    await expect.poll(() => app.app.ports.panic.read()).toMatchObject({ by: 'the phone' })
    api.write('resume')
    await expect.poll(() => api.sent.some((text) => text.includes('is not available on the phone'))).toBe(true)
    expect(app.app.ports.panic.read()).toBeDefined()
    // A look and a close still pass.
    api.write('orders')
    await expect.poll(() => api.sent.some((text) => text.startsWith('account paper\n'))).toBe(true)
  })

  it('is not heard again after a restart: a message, a press, and a button of before', async () => {
    const first = await stage()
    const written = first.api.write('orders')
    await expect.poll(() => first.api.sent).toHaveLength(1)
    first.api.write('panic')
    await expect.poll(() => first.api.button).toBeDefined()
    await first.app.app.stop(0)
    const second = await stage({ directory: first.directory, firstUpdate: 800 })
    second.api.repeat(written)
    if (first.api.button) second.api.press(first.api.button)
    second.api.write('positions')
    await expect.poll(() => second.api.sent.some((text) => text.includes('no open positions'))).toBe(true)
    expect(second.lines()).toEqual(['phone: positions'])
    expect(second.app.app.ports.panic.read()).toBeUndefined()
    expect(JSON.parse(readFileSync(join(first.directory, 'chat-updates.json'), 'utf8'))).toMatchObject({ last: 801 })
  })

  it.each([
    ['of a stranger', { chat: 43 }],
    ['of another person in the chat', { from: 43 }],
    ['in a group', { chat: -42, from: 42 }],
    ['forwarded', { more: { forward_origin: { type: 'user' } } }],
  ] as const)('does nothing for words %s, and answers none', async (_what, how) => {
    const { api, lines } = await stage()
    api.write('panic', how)
    api.write('orders')
    await expect.poll(() => api.sent).toHaveLength(1)
    expect(api.sent[0]).toMatch(/^account paper/)
    expect(lines()).toEqual(['phone: orders'])
  })

  it('does nothing for a press of a stranger, with the right button', async () => {
    const { api, app } = await stage()
    api.write('panic')
    await expect.poll(() => api.button).toBeDefined()
    if (api.button) api.press(api.button, { chat: 42, from: 43 })
    api.write('orders')
    await expect.poll(() => api.sent).toHaveLength(2)
    expect(app.app.ports.panic.read()).toBeUndefined()
  })

  it('does nothing for what is older than a minute, and reports that', async () => {
    const { api, lines } = await stage()
    api.write('panic', { ageS: 3_600 })
    await expect.poll(() => api.sent).toHaveLength(1)
    expect(api.sent[0]).toMatch(/360\d s old/)
    expect(lines()).toEqual([])
  })
})

describe('a proposal', () => {
  const AGENT = { clientId: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93', origin: ORIGIN, label: 'agent' }

  async function propose(line: string) {
    const directory = tempDirectory()
    const { clientId, origin, label } = AGENT
    const clients = [{ clientId, origin, label, approvedAt: 1 }]
    writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients }), { mode: 0o600 })
    const staged = await stage({ directory })
    const { proposals } = staged.app.app.ports
    const { id } = await proposals.propose(AGENT, { line, account: 'paper', reason: 'the trend is up' })
    await expect.poll(() => staged.api.button).toBeDefined()
    return { ...staged, id, stateNow: async () => (await proposals.find(id)).state }
  }

  it('is shown in the chat, and runs with the press of Approve, once', async () => {
    const { api, id, lines, stateNow } = await propose('buy 0.01 BTCUSDT')
    expect(api.sent[0]).toMatch(/agent proposes a line.*buy 0\.01 BTCUSDT.*the trend is up$/s)
    expect(lines()).toEqual([])
    const { button } = api
    if (button) {
      api.press(button)
      api.press(button)
    }
    await expect.poll(() => api.sent.at(-1)).toMatch(new RegExp(`^proposal ${id}, run \\w{8}: done`))
    expect(lines()).toEqual(['web: buy 0.01 BTCUSDT'])
    expect(await stateNow()).toBe('begun')
  })

  it('does nothing for a press of a stranger', async () => {
    const { api, lines, stateNow } = await propose('buy 0.01 BTCUSDT')
    if (api.button) api.press(api.button, { chat: 42, from: 43 })
    api.write('orders')
    await expect.poll(() => api.sent).toHaveLength(2)
    expect(lines()).toEqual(['phone: orders'])
    expect(await stateNow()).toBe('proposed')
  })
})

describe('a chat', () => {
  it.each([
    ['was not proven', 'none'],
    ['was proven and is not the one of the channel any more', '41'],
  ])('that %s is never read, and one that is proven now is', async (_what, listensTo) => {
    const { api, app } = await stage({ listensTo })
    api.write('orders')
    await fire(await app.createHook('echo on'))
    await app.runsDone(1)
    expect(api.polls).toBe(0)
    await app.app.ports.config.changeNotices(listeningTo('42'))
    await expect.poll(() => api.sent).toHaveLength(1)
  })

  it('is no longer read once it does not listen', async () => {
    const { api, app } = await stage()
    await expect.poll(() => api.isRead).toBe(true)
    await app.app.ports.config.changeNotices(listeningTo('none'))
    await expect.poll(() => api.isRead).toBe(false)
    api.write('orders')
    await fire(await app.createHook('echo on'))
    await app.runsDone(1)
    expect(api.sent).toEqual([])
  })
})

function listeningTo(listensTo: string) {
  return (notices: unknown) => {
    const { telegram, ...others } = notices as { readonly telegram: object }
    return { ...others, telegram: { ...telegram, listensTo } }
  }
}
