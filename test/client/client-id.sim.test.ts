import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type ClientIdOptions,
  claimClientId,
  type LockCallback,
  type LockManagerLike,
  type LockOptionsLike,
  lockClaims,
} from '../../src/client/client-id.ts'
import { FORBIDDEN_STORAGE, type MemoryStorage, memoryStorage } from './text-storage.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** The locks of one browser, as the Web Locks standard has them. Each tab has its own manager; closing a tab frees what it holds. */
class Browser {
  readonly #holders = new Map<string, Tab>()
  readonly #waiting: { name: string; tab: Tab; grant: () => void }[] = []
  readonly device = memoryStorage()

  open(session: MemoryStorage = memoryStorage()): Tab {
    return new Tab(this, session)
  }

  request(tab: Tab, name: string, options: LockOptionsLike, callback: LockCallback): Promise<unknown> {
    const grant = () => {
      this.#holders.set(name, tab)
      return callback({ name })
    }
    if (!this.#holders.has(name)) return Promise.resolve(grant())
    if ('ifAvailable' in options) return Promise.resolve(callback(null))
    return new Promise((resolve, reject) => {
      const request = { name, tab, grant: () => resolve(grant()) }
      this.#waiting.push(request)
      options.signal.addEventListener('abort', () => {
        const index = this.#waiting.indexOf(request)
        if (index === -1) return
        this.#waiting.splice(index, 1)
        reject(options.signal.reason)
      })
    })
  }

  free(tab: Tab): void {
    for (const [name, holder] of this.#holders) {
      if (holder !== tab) continue
      this.#holders.delete(name)
      const index = this.#waiting.findIndex((request) => request.name === name)
      if (index !== -1) this.#waiting.splice(index, 1)[0]?.grant()
    }
  }
}

class Tab {
  readonly browser: Browser
  readonly session: MemoryStorage

  constructor(browser: Browser, session: MemoryStorage) {
    this.browser = browser
    this.session = session
  }

  claim(options: Partial<ClientIdOptions> = {}): Promise<string> {
    const locks: LockManagerLike = {
      request: (name, lockOptions, callback) => this.browser.request(this, name, lockOptions, callback),
    }
    return claimClientId({ tab: this.session, device: this.browser.device, claims: lockClaims(locks), ...options })
  }

  close(): void {
    this.browser.free(this)
  }
}

describe('the id of a tab', () => {
  it('is a UUID and survives a reload', async () => {
    const browser = new Browser()
    const tab = browser.open()
    const id = await tab.claim()
    expect(id).toMatch(UUID)
    tab.close()
    expect(await browser.open(tab.session).claim()).toBe(id)
  })

  it('survives a reload that begins before the old page is gone', async () => {
    const browser = new Browser()
    const old = browser.open()
    const id = await old.claim()
    const reloaded = browser.open(old.session).claim()
    old.close()
    expect(await reloaded).toBe(id)
  })

  it('is not shared by a second tab', async () => {
    const browser = new Browser()
    expect(await browser.open().claim()).not.toBe(await browser.open().claim())
  })

  it('is not shared by a duplicate of the tab, though it starts with the same sessionStorage', async () => {
    const browser = new Browser()
    const tab = browser.open()
    const id = await tab.claim()
    const duplicate = browser.open(tab.session.copy())
    const other = await duplicate.claim()
    expect(other).not.toBe(id)
    duplicate.close()
    expect(await browser.open(duplicate.session).claim()).toBe(other)
  })

  it('passes to a new tab when its tab is closed: the operator is not asked again', async () => {
    const browser = new Browser()
    const yesterday = browser.open()
    const id = await yesterday.claim()
    yesterday.close()
    expect(await browser.open().claim()).toBe(id)
  })

  it('prefers the one used last among those left behind', async () => {
    const browser = new Browser()
    const tabs = [browser.open(), browser.open(), browser.open()]
    const ids = await Promise.all(tabs.map((tab) => tab.claim()))
    for (const tab of tabs) tab.close()
    const session = memoryStorage(new Map([['hookline.client', ids[0] as string]]))
    const back = browser.open(session)
    expect(await back.claim()).toBe(ids[0])
    back.close()
    expect(await browser.open().claim()).toBe(ids[0])
  })

  it('is one of at most sixteen that are remembered', async () => {
    const browser = new Browser()
    const tabs = Array.from({ length: 20 }, () => browser.open())
    for (const tab of tabs) await tab.claim()
    expect(JSON.parse(browser.device.getItem('hookline.client') ?? '')).toHaveLength(16)
  })

  it('goes to one tab only when several start at once', async () => {
    const browser = new Browser()
    const left = browser.open()
    const id = await left.claim()
    left.close()
    const ids = await Promise.all(Array.from({ length: 8 }, () => browser.open().claim()))
    expect(new Set(ids).size).toBe(8)
    expect(ids.filter((other) => other === id)).toHaveLength(1)
  })

  it('is another one in another namespace', async () => {
    const tab = new Browser().open()
    const id = await tab.claim()
    expect(await tab.claim({ namespace: 'another.app' })).not.toBe(id)
    expect(tab.session.getItem('hookline.client')).toBe(id)
  })
})

describe('where the browser helps less', () => {
  it('is new at each load without locks, rather than shared', async () => {
    const browser = new Browser()
    const tab = browser.open()
    expect(await tab.claim({ claims: undefined })).not.toBe(await tab.claim({ claims: undefined }))
    // Node 24 has locks of its own.
    vi.stubGlobal('navigator', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(lockClaims()).toBeUndefined()
  })

  it('is new where locks are forbidden', async () => {
    const claims = lockClaims({ request: () => Promise.reject(new Error('SecurityError')) })
    expect(await new Browser().open().claim({ claims })).toMatch(UUID)
  })

  it('works without storage', async () => {
    const forbidden = { tab: FORBIDDEN_STORAGE, device: FORBIDDEN_STORAGE }
    expect(await new Browser().open().claim(forbidden)).toMatch(UUID)
  })

  it.each(['not json', '{}', '[1, null, "short"]'])('ignores what others wrote under its key: %s', async (text) => {
    const device = memoryStorage(new Map([['hookline.client', text]]))
    expect(await new Browser().open().claim({ device })).toMatch(UUID)
  })
})
