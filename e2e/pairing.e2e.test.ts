// How a page and hookline come together, as the person sees it who has both in front of them.
import { describe, expect } from 'vitest'
import { enterLines } from '../harness/process/hookline.ts'
import { CONSOLE_URL } from './console-page.ts'
import { answer, isAsked, questions } from './operator.ts'
import { it, NO_HOOKLINE } from './stage.ts'

interface WebSettings {
  readonly cli: { readonly checkins: object }
  readonly trustedListenerIds: Readonly<Record<string, string>>
}

describe('a page that is new to hookline', () => {
  it('waits for a y in the terminal, which shows what the page shows', async ({ stage }) => {
    const console = await stage.openConsole()
    await console.badgeSays('Not connected')
    const hookline = await stage.startHookline()
    await console.follow('Connect')

    const asked = await isAsked(hookline, console)
    const clientId = await console.clientId()
    expect(asked).toEqual({
      label: 'console in Chrome on Linux',
      origin: 'http://127.0.0.1:53220',
      client: clientId,
      proof: 'proves itself with a key',
    })
    const advice = await (await console.advice()).textContent()
    for (const shown of Object.values(asked)) expect(advice).toContain(shown)

    await answer(hookline, 'y')
    await console.badgeSays('Connected')
    await expect
      .poll(() => Object.values(stage.readJson<WebSettings>('web-settings.json').trustedListenerIds))
      .toEqual([stage.listenerId()])
    expect(stage.readJson('trusted-clients.json')).toMatchObject({
      clients: [
        {
          clientId: expect.stringMatching(`^${clientId}`),
          origin: 'http://127.0.0.1:53220',
          key: expect.stringMatching(/^B[\w-]{86}$/),
        },
      ],
    })
    await expect
      .poll(async () => (await console.advice()).textContent())
      .toContain(`it proved itself, key ${stage.keyTail()}`)
  })

  it('asks without a click where hookline has checked in', async ({ stage }) => {
    const hookline = await stage.startHookline()
    await expect
      .poll(() => stage.readJsonIfAny<WebSettings>('web-settings.json')?.cli.checkins)
      .toHaveProperty(process.platform)
    const console = await stage.openConsole()
    await isAsked(hookline, console)
  })

  it('says after an n what to do, and does not try again by itself', async ({ stage }) => {
    const console = await stage.openConsole({ prepare: (page) => page.clock.install() })
    const hookline = await stage.startHookline()
    await console.follow('Connect')
    await isAsked(hookline, console)
    await answer(hookline, 'n')
    const asked = questions(hookline)
    await console.badgeSays('Denied')
    await expect.poll(async () => (await console.advice()).textContent()).toContain('connect once more and answer y')

    await console.page.clock.runFor('10:00')
    await console.isBackInSight()
    expect([await console.sockets(), questions(hookline)]).toEqual([1, asked])
    expect(stage.readJsonIfAny('trusted-clients.json')).toBeUndefined()

    await console.follow('Connect')
    await console.badgeSays('Asks again')
    const advice = await (await console.advice()).textContent()
    expect(advice).toContain('hookline is not taking new requests right now')
    expect(advice).toContain('It has not been let in yet')
    expect(advice).not.toContain('a command under way')
  })
})

describe('the key of a page', () => {
  it('stays in the browser: no script can read it, and it is the same after a reload', async ({ stage }) => {
    const { console } = await stage.openAndPair()
    const key = () => console.page.evaluate<unknown>(READ_KEY)
    const before = await key()
    expect(before).toEqual({ extractable: false, exported: 'InvalidAccessError', point: expect.any(String) })
    await console.reload()
    await console.badgeSays('Connected')
    expect(await key()).toEqual(before)
  })

  it('is none where the browser keeps nothing, and both sides say so', async ({ stage }) => {
    const console = await stage.openConsole({
      prepare: (page) => page.addInitScript("Object.defineProperty(window, 'indexedDB', { value: undefined })"),
    })
    const hookline = await stage.startHookline()
    await console.follow('Connect')
    expect(await isAsked(hookline, console)).toMatchObject({ proof: 'cannot prove itself' })
    await expect.poll(async () => (await console.advice()).textContent()).toContain('cannot prove itself')
    await answer(hookline, 'y')
    await console.badgeSays('Connected')
    await expect
      .poll(async () => (await console.advice()).textContent())
      .toContain('this browser keeps no key for this page')
  })
})

/** What a script of the page can do with the key that is kept for it. */
const READ_KEY = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('hookline.client')
  opening.onerror = () => reject(opening.error)
  opening.onsuccess = () => {
    const reading = opening.result.transaction('keys').objectStore('keys').get(JSON.parse(localStorage.getItem('hookline.client'))[0])
    reading.onsuccess = async () => {
      const { privateKey, publicKey } = reading.result
      const exported = await crypto.subtle.exportKey('pkcs8', privateKey).then(() => 'exported', ({ name }) => name)
      const point = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)).join()
      opening.result.close()
      resolve({ extractable: privateKey.extractable, exported, point })
    }
  }
})`

describe('a page that has been let in', () => {
  it('connects by itself after a reload, and nobody is asked', async ({ stage }) => {
    const { hookline, console } = await stage.openAndPair()
    const before = [await console.clientId(), questions(hookline)]
    await console.reload()
    await console.badgeSays('Connected')
    expect([await console.clientId(), questions(hookline)]).toEqual(before)
  })

  it('says that it was revoked, and stays out', async ({ stage }) => {
    const { hookline, console } = await stage.openAndPair({ prepare: (page) => page.clock.install() })
    hookline.send('clients revoke --all\r')
    await console.badgeSays('Revoked')
    await console.page.clock.runFor('10:00')
    await console.isBackInSight()
    expect(await console.sockets()).toBe(1)
    const asked = questions(hookline)
    await console.reload()
    await console.badgeSays('Not connected')
    expect([await console.sockets(), questions(hookline)]).toEqual([0, asked])
  })
})

describe('tabs of one browser', () => {
  it('are one question, whichever come before the y or after it, and each keeps its own account and symbol', async ({
    stage,
  }) => {
    const console = await stage.openConsole()
    const hookline = await stage.startHookline()
    await enterLines(hookline, ['account add swing paper'])
    await console.follow('Connect')
    await isAsked(hookline, console)
    const asked = questions(hookline)
    const context = console.page.context()
    const second = await stage.openTab(context, { url: `${CONSOLE_URL}/trade/ETHUSDT?account=swing` })
    await second.badgeSays('Waiting for your y')
    await answer(hookline, 'y')
    for (const tab of [console, second]) await tab.badgeSays('Connected')

    // A duplicate begins with a copy of the first one's sessionStorage.
    const opened = context.waitForEvent('page')
    await console.page.evaluate('void window.open(location.href)')
    const page = await opened
    await page.waitForURL(/^http/)
    const duplicate = stage.watch(page)
    await duplicate.badgeSays('Connected')
    expect(questions(hookline)).toBe(asked)
    expect(stage.readJson('trusted-clients.json')).toMatchObject({ clients: [{ origin: CONSOLE_URL }] })

    await second.run('buy $100')
    await second.position('ETHUSDT').waitFor()
    await duplicate.run('buy $100')
    for (const tab of [console, duplicate]) await tab.position('BTCUSDT').waitFor()
    await second.reload()
    await second.position('ETHUSDT').waitFor()
    expect([await second.position('BTCUSDT').count(), await console.position('ETHUSDT').count()]).toEqual([0, 0])
    expect(await console.sockets()).toBe(1)

    const stranger = await stage.openConsole()
    await isAsked(hookline, stranger)
    await answer(hookline, 'n')
    await stranger.badgeSays('Denied')

    hookline.send(`clients revoke ${await console.clientId()}\r`)
    for (const tab of [console, second, duplicate]) await tab.badgeSays('Revoked')
  })
})

describe('a first visit, by somebody who has read nothing', () => {
  it('leads from nothing to a first trade on paper, each step ticked by itself, in under a minute, and is not offered again', async ({
    stage,
  }) => {
    const console = await stage.openConsole({ expects: NO_HOOKLINE })
    const { page } = console
    const from = Date.now()
    const step = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await page.getByText('hookline trades from a terminal on this machine').waitFor()
    await step('hookline is running').and(page.locator('[aria-current=step]')).waitFor()
    await console.follow('Connect')
    const advice = await console.advice()
    await advice.getByText('hookline is not running on this machine.').waitFor()
    await advice.getByText('hookline', { exact: true }).waitFor()

    const hookline = await stage.startHookline()
    await isAsked(hookline, console)
    await step('hookline is running, done').waitFor()
    await step('Type y in its terminal').and(page.locator('[aria-current=step]')).waitFor()
    await answer(hookline, 'y')
    await console.badgeSays('Connected')
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('Make a first trade, with simulated money').waitFor()
    await steps.getByRole('button', { name: /^buy \$1000/ }).click()
    await steps.getByText('First trade made').waitFor()
    expect(Date.now() - from).toBeLessThan(60_000)
    await console.reload()
    await console.position('BTCUSDT').waitFor()
    expect(await steps.count()).toBe(0)
  })
})
