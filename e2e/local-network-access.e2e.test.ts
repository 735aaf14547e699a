// What this Chromium asks before a page may reach a program on its own machine (Local Network Access), and that the page tells its user
// the truth about it. Headless, the browser answers its own question with no.
import type { Browser } from 'playwright-core'
import { describe, expect, onTestFinished } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { answer, isAsked, questions } from './operator.ts'
import { PUBLIC_ORIGIN, PUBLIC_SITE_ARGS, servePublicSite } from './public-site.ts'
import { it, launchBrowser, type Stage } from './stage.ts'

/** @returns undefined: this Chromium is older than the permission */
function permission({ page }: ConsolePage): Promise<string | undefined> {
  return page.evaluate<string | undefined>(
    "navigator.permissions.query({ name: 'loopback-network' }).then(({ state }) => state, () => undefined)",
  )
}

/** hookline, which allows the site, and a browser to which the site is a public one. */
async function openPublicSite(stage: Stage) {
  await servePublicSite()
  stage.setFlags({ allowedOrigins: [PUBLIC_ORIGIN] })
  const hookline = await stage.startHookline()
  const browser: Browser = await launchBrowser(PUBLIC_SITE_ARGS, 'whole')
  onTestFinished(() => browser.close())
  // The site has no settings record, and the browser refuses it this machine.
  const console = await stage.openConsole({
    browser,
    url: PUBLIC_ORIGIN,
    expects: /127\.0\.0\.1:53219|\/api\/settings/,
  })
  await console.badgeSays('Not connected')
  return { hookline, console, state: await permission(console) }
}

const TOO_OLD = 'this Chromium has no permission for pages that reach this machine'

describe('this Chromium', () => {
  it('asks nothing of the page that this machine serves', async ({ stage }) => {
    const { console } = await stage.openPaired()
    expect([undefined, 'prompt']).toContain(await permission(console))
  })

  it('refuses a public site where its user says no, and the page says where to change that', async ({
    stage,
    skip,
  }) => {
    const { hookline, console, state } = await openPublicSite(stage)
    skip(state === undefined, TOO_OLD)
    await expect
      .poll(async () => (await console.advice()).textContent())
      .toContain('Access other apps and services on this device')
    await console.follow('Connect')
    await console.badgeSays('Blocked by browser')
    const advice = await console.advice()
    await expect.poll(() => advice.textContent()).toContain('open Site settings and set “Apps on device”')
    await expect.poll(() => advice.getByRole('code').allTextContents()).toEqual(['hookline web --open'])
    expect([await permission(console), questions(hookline)]).toEqual(['denied', 0])
  })

  it('lets a public site reach hookline where its user allows it', async ({ stage, skip }) => {
    const { hookline, console, state } = await openPublicSite(stage)
    skip(state === undefined, TOO_OLD)
    await console.page.context().grantPermissions(['local-network-access'], { origin: PUBLIC_ORIGIN })
    await console.follow('Connect')
    expect(await isAsked(hookline, console)).toMatchObject({ origin: PUBLIC_ORIGIN })
    await answer(hookline, 'y')
    await console.badgeSays('Connected')
    await console.run('echo here')
    await hookline.shows('here')
  })
})
