// A browser's part of signing in: it keeps cookies, follows redirects and submits the form of each page, as a person would.
import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** More than any sign-in has. */
const MAX_PAGES = 20

export interface Visit {
  /** Who types a name and a password. */
  readonly person: string
  /** To the question whether this is wanted. Default `yes`. */
  readonly says?: 'yes' | 'no'
  /** The visit ends at the first answer from an address that begins so. Default: at a page without a form. */
  readonly until?: string
  /** The visit ends before the first address that begins so is asked for. */
  readonly before?: string
}

/** What a window shows. */
export interface Shown {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly page: string
}

export interface Visited {
  readonly url: string
  /** Not read yet where the visit had an address to end at. */
  readonly response: Response
  /** The page without a form; empty where the visit had an address to end at. */
  readonly page: string
}

export class ScriptedBrowser {
  readonly #jars = new Map<string, Map<string, string>>()
  readonly #agent: string

  constructor(agent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/153.0') {
    this.#agent = agent
  }

  /** One request. Redirects are not followed. */
  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const jar = this.#jars.get(host) ?? new Map<string, string>()
    this.#jars.set(host, jar)
    const headers = new Headers(init.headers)
    headers.set('user-agent', this.#agent)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(jar, line)
    return response
  }

  /** One address in a window: `fetch` would not say so. Redirects are not followed. @param site as `Sec-Fetch-Site` */
  async open(url: string, site: 'none' | 'same-origin' | 'cross-site' = 'none'): Promise<Shown> {
    const { host } = new URL(url)
    const headers = {
      'User-Agent': this.#agent,
      Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'Sec-Fetch-Site': site,
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
      Cookie: [...this.cookies(host)].map(([name, value]) => `${name}=${value}`).join('; '),
    }
    return new Promise((resolve, reject) => {
      const asking = request(url, { headers, agent: false }, (answer) => {
        const jar = this.#jars.get(host) ?? new Map<string, string>()
        this.#jars.set(host, jar)
        for (const line of answer.headers['set-cookie'] ?? []) keep(jar, line)
        const shown = (page: string): Shown => ({ status: answer.statusCode ?? 0, headers: answer.headers, page })
        text(answer).then((page) => resolve(shown(page)), reject)
      })
      asking.on('error', reject)
      asking.end()
    })
  }

  async visit(address: string, { person, says = 'yes', until, before }: Visit): Promise<Visited> {
    let url = address
    let response = await this.ask(url)
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const location = response.headers.get('location')
      if (location !== null) {
        url = new URL(location, url).href
        if (before !== undefined && url.startsWith(before)) return { url, response, page: '' }
        response = await this.ask(url)
        if (until !== undefined && url.startsWith(until)) return { url, response, page: '' }
        continue
      }
      const page = await response.text()
      const form = formOf(page)
      if (form === undefined && until === undefined && before === undefined) return { url, response, page }
      if (form === undefined) throw new Error(`no form on this page: ${page.slice(0, 500)}`)
      url = new URL(form.action, url).href
      response = await this.ask(url, { method: 'POST', body: filled(form.fields, person, says) })
    }
    throw new Error(`the sign-in does not end; it is at ${url}`)
  }

  cookies(host: string): ReadonlyMap<string, string> {
    return this.#jars.get(host) ?? new Map()
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === '' || /expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) jar.delete(name)
  else jar.set(name, value)
}

/** @returns undefined: nothing is asked on this page */
function formOf(page: string): { readonly action: string; readonly fields: URLSearchParams } | undefined {
  const [, attributes = '', content = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(page) ?? []
  const action = /action="([^"]*)"/.exec(attributes)?.[1]
  if (action === undefined) return undefined
  const fields = new URLSearchParams()
  for (const [input] of content.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1]
    if (name !== undefined) fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '')
  }
  return fields.size === 0 ? undefined : { action, fields }
}

function filled(fields: URLSearchParams, person: string, says: 'yes' | 'no'): URLSearchParams {
  const form = new URLSearchParams(fields)
  if (form.has('login')) form.set('login', person)
  if (form.has('password')) form.set('password', 'any')
  if (form.get('confirm') === 'yes' && says === 'no') form.set('abort', 'yes')
  return form
}
