// Settings, as somebody uses them once: the account of the tab, files to mend, and how the desk looks.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { GRANT_MS } from '../src/protocol/rows.ts'
import type { Grant } from '../src/stores/client-grants.ts'
import { openTrustedClients } from '../src/stores/trusted-clients.ts'
import { violations, withAxe } from './axe.ts'
import { CONSOLE_URL } from './console-page.ts'
import { isAsked } from './operator.ts'
import { it } from './stage.ts'

const row = (name: string) => ({ name, exchange: 'paper', createdAt: 1, updatedAt: 1 })

describe('the settings', () => {
  it('choose the account of this tab, and give the line for what only the terminal does', async ({ stage }) => {
    writeFileSync(join(stage.directory, 'accounts.json'), JSON.stringify({ accounts: [row('paper'), row('second')] }), {
      mode: 0o600,
    })
    const { console } = await stage.openPaired()
    const accounts = await console.open('Accounts')
    await accounts.getByRole('button', { name: 'Use second in this tab' }).click()
    await console.page.getByRole('button', { name: /^Account second/ }).waitFor()
    await console.page.getByText('clients revoke --all', { exact: true }).waitFor()
    await console.page.getByText('All hookline files are valid.').waitFor()
    stage.writeJson('hooks.json', { hooks: [{ id: 'broken' }] })
    await console.page
      .getByRole('note')
      .getByText(/^hooks\.json: /)
      .waitFor()
    await console.goToPage('Hooks')
    const aside = console.page.getByRole('note').filter({ hasText: 'A hook is invalid and does not fire.' })
    await aside.getByText(/^hooks\.json, line \d+: hooks\[0\]/).waitFor()
    await console.page.getByText('No other hook').waitFor()
    stage.writeJson('hooks.json', { hooks: [] })
    await aside.waitFor({ state: 'detached' })
  })

  it('of looks and times hold after a reload', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const { page } = console
    await console.goToPage('Settings')
    await page.getByLabel('UTC', { exact: true }).check()
    await page.getByLabel('Roomy').check()
    await page.reload()
    await console.badgeSays('Connected')
    expect(await page.getByLabel('UTC', { exact: true }).isChecked()).toBe(true)
    expect(await page.evaluate('document.documentElement.dataset.density')).toBe('roomy')
  })
})

describe('the settings of this browser', () => {
  it('tell both keys by their ends, and the versions, in words', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.goToPage('Settings')
    const page = console.page.getByRole('region', { name: 'This page', exact: true })
    await page.getByText('Both sides have proved their identity').waitFor()
    const facts = await page.getByRole('definition').allTextContents()
    expect(facts).toContain(desk.keyTail())
    expect(facts).toContain(desk.listenerId())
    expect(facts).toContain(await console.clientId())
    const own = facts.find((fact) => fact.startsWith('…') && fact !== desk.keyTail()) ?? ''
    hookline.send('clients\r')
    await hookline.shows(own.slice(1))
    const versions = console.page.getByRole('region', { name: 'Versions', exact: true })
    expect(await versions.getByRole('definition').allTextContents()).toEqual([
      expect.stringMatching(/^\d+\.\d+\.\d+/),
      expect.stringMatching(/^\d+\.\d+\.\d+|not known/),
      'hookline web, which runs',
    ])
  })

  it('list the clients with what each may, and take it away from one', async ({ desk }) => {
    const clientId = randomUUID()
    const now = Date.now()
    const grant: Grant = { may: 'trade', perDay: '300', accounts: ['paper'], grantedAt: now, until: now + GRANT_MS }
    const { console } = await desk.openPaired(withAxe)
    await openTrustedClients(desk.directory).add({ clientId, label: 'agent dip', origin: CONSOLE_URL, grant })
    await console.goToPage('Settings')
    const clients = console.page.getByRole('region', { name: 'Clients' })
    await clients.getByText('$300.00, $0.00 used today').waitFor()
    expect(await clients.textContent()).not.toContain(clientId)
    await clients.getByRole('button', { name: 'Look only' }).click()
    const question = console.page.getByRole('dialog', { name: 'Look only: agent dip?' })
    await question.getByRole('button', { name: 'Look only' }).click()
    await expect.poll(() => clients.getByRole('button').allTextContents()).toEqual(['Revoke'])
    expect(openTrustedClients(desk.directory).find(clientId)).toMatchObject([{ grant: { may: 'look', perDay: '300' } }])
    expect(await violations(console)).toEqual([])
  })

  it('make contrast high and the terminal’s letters larger, in every tab at once', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const second = await desk.openTab(console.page.context())
    await second.badgeSays('Connected')
    const usual = await second.colour('--text')
    await console.goToPage('Settings')
    await console.page.getByRole('group', { name: 'Contrast' }).getByLabel('High').check()
    await console.page.getByLabel('Text size').selectOption('18')
    await expect.poll(() => second.colour('--text')).not.toBe(usual)
    await second.run('echo large')
    await second.prints(/^large$/)
    expect(await second.page.evaluate("getComputedStyle(document.querySelector('.transcript')).fontSize")).toBe('18px')
  })

  it('forget it whole: keys, pin, settings and copy; a new visit is asked about anew', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired({ serviceWorkers: 'allow' })
    const { page } = console
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
    const before = await console.clientId()
    const other = await stage.openTab(page.context())
    await other.badgeSays('Connected')
    await other.run('echo kept')
    await other.prints(/^kept$/)
    await console.goToPage('Settings')
    await console.press('Forget this browser')
    await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click()
    // Another tab is no way back for what was deleted.
    await other.page.getByText('Connect this page to your hookline.').waitFor()
    expect(await other.everythingItKeeps()).not.toContain('echo kept')
    await other.page.close()
    await isAsked(hookline, console)
    expect(await console.clientId()).not.toBe(before)
    expect(await page.evaluate<string[]>('caches.keys()')).toEqual([])
    expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then(({ length }) => length)')).toBe(0)
    expect(await page.evaluate("localStorage.getItem('hookline.listener')")).toBeNull()
    await page.getByText('Connect this page to your hookline.').waitFor()
  })
})

describe('the copy that this browser keeps', () => {
  it('is not begun anew by the worker, which answers until its last tab is gone', async ({ desk }) => {
    const { console } = await desk.openPaired({ serviceWorkers: 'allow' })
    const { page } = console
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
    await expect.poll(() => page.evaluate<string[]>('caches.keys()')).toContain('hookline.confirmed')
    // The console's program asks the worker whether its build is kept, and so has it kept anew: a file without one takes its place, and the
    // worker has answered it before anything is deleted.
    await page.goto('http://127.0.0.1:53220/icons/icon-192.png')
    await page.evaluate(`new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      navigator.serviceWorker.controller.postMessage({ files: [] }, [port2])
    }).then(() => undefined)`)
    await page.evaluate('caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))')
    // A tab whose program does not run.
    const other = await page.context().newPage()
    const session = await page.context().newCDPSession(other)
    await session.send('Emulation.setScriptExecutionDisabled', { value: true })
    // What the worker does behind one answer is done by the time of the third.
    for (let visit = 0; visit < 3; visit++) await other.goto('http://127.0.0.1:53220/trade')
    expect(await page.evaluate<string[]>('caches.keys()')).toEqual([])
  })
})

describe('the list of keys', () => {
  it('has headings smaller than its title', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.page.keyboard.press('?')
    const dialog = console.page.getByRole('dialog', { name: 'Keyboard' })
    await dialog.waitFor()
    const sizes = await console.page.evaluate<number[]>(
      "[...document.querySelectorAll('dialog :is(h2, h3)')].map((heading) => parseFloat(getComputedStyle(heading).fontSize))",
    )
    const [title = 0, ...sections] = sizes
    expect(sections.length).toBeGreaterThan(2)
    expect(Math.max(...sections)).toBeLessThan(title)
  })
})
