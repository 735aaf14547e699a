// A console for many, at an address with a certificate of an authority of one's own: from `hookline login` to a page that connects by itself, and what a
// second person sees of it.
import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, describe, expect, onTestFinished } from 'vitest'
import { tempDirectoryOfFile } from '../harness/files/temp-directory.ts'
import { makeAuthority } from '../harness/network/own-authority.ts'
import { environmentOf } from '../harness/process/built-hookline.mjs'
import { RunningHookline, run } from '../harness/process/hookline.ts'
import { host, noPostgres, startPostgresOfFile } from '../harness/sign-in/hosted-console.ts'
import type { RealProvider } from '../harness/sign-in/real-provider.ts'
import type { Devices } from '../src/protocol/web-api.ts'
import { assetsIn } from '../src/web-server/assets.ts'
import { type ConsolePage, TEXT_REFUSED } from './console-page.ts'
import { answer, isAsked, questions } from './operator.ts'
import { it, launchBrowser, type Stage } from './stage.ts'

startPostgresOfFile()

const BUILT = resolve(import.meta.dirname, '../dist/web')

const directory = tempDirectoryOfFile()
let known: ReturnType<typeof makeKnown> | undefined
afterAll(async () => (await known)?.browser.close())

/** A certificate, and a browser that knows its authority. */
async function makeKnown() {
  const { ca, server } = makeAuthority(directory, 'localhost')
  const tls = { cert: readFileSync(server.cert, 'utf8'), key: readFileSync(server.key, 'utf8') }
  return { ca, tls, browser: await launchBrowser([`--ignore-certificate-errors-spki-list=${keyHash(server.cert)}`]) }
}

/** A console for many behind TLS, and its provider. */
async function openHosted() {
  known ??= makeKnown()
  const { ca, tls, browser } = await known
  const { url, provider, failures } = await host({ tls, assets: assetsIn(BUILT) })
  return { ca, browser, url, provider, failures }
}

function keyHash(certificate: string): string {
  const key = new X509Certificate(readFileSync(certificate)).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

/** `hookline login`, approved by this person in another browser. */
async function login({ directory }: Stage, { issuer, approve }: RealProvider, person: string): Promise<void> {
  const program = new RunningHookline(directory, ['login', '--json', '--issuer', issuer])
  await program.prints('"login-code"')
  await approve(JSON.parse(program.stdout.split('\n')[0] ?? '').addressWithCode, person)
  expect(await program.ended()).toMatchObject({ code: 0, stderr: '' })
}

/** A page of another site with a link, which is followed. */
async function follow({ page }: ConsolePage, address: string): Promise<void> {
  const site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<a href="${address}">the desk</a>`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void site.close())
  // Another site by its name, which is what browsers go by.
  await page.goto(`http://site.localhost:${(site.address() as AddressInfo).port}/`)
  await page.getByText('the desk').click()
}

/** A page of the console at this very address, and neither JSON nor a page of the browser. */
async function showsPage({ page }: ConsolePage, address: string): Promise<void> {
  await page.getByRole('button', { name: /^Connection: / }).waitFor()
  expect([page.url(), await page.evaluate('document.contentType')]).toEqual([address, 'text/html'])
}

/** The sign-in page's link, the service's form, and its question. */
async function signIn({ page }: ConsolePage, person: string): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in to open your console.' }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.locator('input[name=login]').fill(person)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
}

/** What the server tells this page. */
const devicesOf = ({ page }: ConsolePage): Promise<Devices> =>
  page.evaluate<Devices>("fetch('/api/devices').then((answer) => answer.json())")

const layoutsOf = ({ page }: ConsolePage): Promise<unknown> =>
  page.evaluate<unknown>("fetch('/api/layouts').then((answer) => answer.json())")

const openAs = async (stage: Stage, browser: Browser, url: string, person: string): Promise<ConsolePage> => {
  // Not signed in is an answer of 401, and the provider’s form asks for an icon and a font.
  const console = await stage.openConsole({ browser, url, expects: /\/api\/settings|favicon|fonts\./ })
  await signIn(console, person)
  return console
}

describe.skipIf(noPostgres !== undefined)(
  `a console for many${noPostgres === undefined ? '' : ` (${noPostgres})`}`,
  () => {
    it('connects by itself for the person whose hookline has checked in, and shows another person nothing of it', async ({
      stage,
    }) => {
      const { ca, browser, url, provider, failures } = await openHosted()
      stage.writeJson('config.json', { webUrl: url })
      await login(stage, provider, 'ana')
      const who = await run(stage.directory, ['whoami'])
      expect(who.stdout).toContain('ana@example.com')

      const first = await openAs(stage, browser, url, 'ana')
      await first.badgeSays('Not connected')
      const hookline = await stage.startHookline(stage.directory, {
        env: { ...environmentOf(stage.directory), NODE_EXTRA_CA_CERTS: ca },
      })
      await expect.poll(async () => (await devicesOf(first)).machines).toHaveLength(1)

      // Another person comes first, and is told nothing.
      const other = await openAs(stage, browser, url, 'bob')
      await other.badgeSays('Not connected')
      await other.page.getByText('Signed in as bob@example.com.').waitFor()
      expect(await devicesOf(other)).toMatchObject({ browsers: [{ isThis: true }], machines: [] })
      expect(questions(hookline)).toBe(0)

      // Signed in is not approved: the operator is asked, and only for the page of the same person.
      await first.page.reload()
      expect(await isAsked(hookline, first)).toMatchObject({ origin: url })
      await answer(hookline, 'y')
      await first.badgeSays('Connected')
      await first.goToPage('Settings')
      const mine = first.page.getByRole('region', { name: 'Signed in' })
      await mine.getByText('ana@example.com').waitFor()
      await mine.getByRole('listitem').filter({ hasText: 'Linux' }).getByText('hookline').waitFor()

      // What is laid out in one browser is so in the other.
      await first.page.keyboard.press('Control+k')
      await first.page.getByRole('dialog', { name: 'Find or run' }).getByRole('combobox').fill('Layout: Tables')
      const kept = first.page.waitForResponse((answer) => answer.url().endsWith('/api/layouts/trade'))
      await first.page.getByRole('option', { name: 'Layout: Tables kept in this browser' }).click()
      expect((await kept).status()).toBe(204)
      expect(await layoutsOf(first)).toMatchObject({ trade: { tables: 0.62 } })

      await first.goToPage('Settings')

      // The sign-in of the command line ends, and with it what made pages look for hookline.
      const out = await run(stage.directory, ['logout'], { env: { NODE_EXTRA_CA_CERTS: ca } })
      expect(out.code).toBe(0)
      expect((await devicesOf(first)).machines).toEqual([])
      expect((await run(stage.directory, ['whoami'])).stdout).not.toContain('ana@example.com')

      // A browser is removed from another one, and is signed out by it.
      const second = await openAs(stage, browser, url, 'ana')
      await second.badgeSays('Not connected')
      await expect.poll(() => second.page.evaluate<string>("localStorage.getItem('hookline.layout')")).toContain('0.62')
      await mine.getByRole('button', { name: /^Sign out/ }).waitFor()
      await first.page.reload()
      await first.goToPage('Settings')
      await mine.getByRole('button', { name: /^Remove Chrome/ }).click()
      await first.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await expect.poll(() => mine.getByRole('button', { name: /^Remove Chrome/ }).count()).toBe(0)
      await second.isBackInSight()
      const signInPage = ({ page }: ConsolePage) => page.getByRole('heading', { name: 'Sign in to open your console.' })
      await signInPage(second).waitFor()

      // Signing out is of every tab, and leaves nothing of this person: who comes next has to be approved.
      const tab = await stage.openTab(first.page.context(), { url, expects: /\/api\/settings|favicon|fonts\./ })
      await tab.badgeSays('Connected')
      await mine.getByRole('button', { name: 'Sign out' }).click()
      await signInPage(first).waitFor()
      await signInPage(tab).waitFor()
      await expect
        .poll(() => first.everythingItKeeps())
        .not.toMatch(/hookline\.(?:client|listener|device|history|owner)/)
      // The sign-in service knows this browser still.
      await tab.page.context().clearCookies()
      await signIn(tab, 'bob')
      await tab.page.getByText('Signed in as bob@example.com.').waitFor()
      await tab.badgeSays('Not connected')
      await tab.page.getByRole('button', { name: 'Sign out' }).waitFor()
      expect(await devicesOf(tab)).toMatchObject({ machines: [] })
      expect(failures).toEqual([])
    })

    it.for([
      ['without the console’s worker', 'block'],
      ['with it, which opens the copy while no server answers', 'allow'],
    ] as const)(
      'leads from any link through the sign-in to the very page, %s',
      async ([, serviceWorkers], { stage }) => {
        const { browser, url, failures } = await openHosted()
        stage.writeJson('config.json', { webUrl: url })
        const console = await stage.openConsole({ browser, url, expects: /./, serviceWorkers })
        const { page } = console
        await signIn(console, 'ana')
        await showsPage(console, `${url}/`)
        const hookline = await stage.startHookline()
        const isLetIn = async () => {
          await stage.pair(console, hookline)
          if (serviceWorkers === 'allow')
            await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
        }
        await isLetIn()

        // The session is over: a link from another site, and a bookmark.
        await page.context().clearCookies()
        await follow(console, `${url}/journal?state=failed`)
        await signIn(console, 'ana')
        await showsPage(console, `${url}/journal?state=failed`)
        await page.context().clearCookies()
        await page.goto(`${url}/trade/ETHUSDT?pane=chart`)
        await signIn(console, 'ana')
        await showsPage(console, `${url}/trade/ETHUSDT?pane=chart`)

        // Signed in: a link, a bookmark, a reload, and back. What the browser kept went with the session.
        await isLetIn()
        await follow(console, `${url}/trade/BTCUSDT`)
        await showsPage(console, `${url}/trade/BTCUSDT`)
        await page.goto(`${url}/settings`)
        await showsPage(console, `${url}/settings`)
        await page.reload()
        await showsPage(console, `${url}/settings`)
        await page.goBack()
        await showsPage(console, `${url}/trade/BTCUSDT`)

        await page.context().setOffline(true)
        if (serviceWorkers === 'allow') {
          await page.goto(`${url}/trade/BTCUSDT`)
          await showsPage(console, `${url}/trade/BTCUSDT`)
        } else await expect(page.goto(`${url}/trade/BTCUSDT`)).rejects.toThrow('ERR_INTERNET_DISCONNECTED')
        expect(failures).toEqual([])
      },
    )

    it('takes no text for a program, before and after the sign-in', async ({ stage }) => {
      const { browser, url } = await openHosted()
      const expects = new RegExp(`${TEXT_REFUSED.source}|/api/settings|favicon|fonts\\.`)
      const console = await stage.openConsole({ browser, url, expects, serviceWorkers: 'allow' })
      await console.page.getByRole('heading', { name: 'Sign in to open your console.' }).waitFor()
      expect(await console.textsThatRun()).toEqual([])
      await signIn(console, 'ana')
      await console.badgeSays('Not connected')
      expect(await console.textsThatRun()).toEqual([])
    })
  },
)
