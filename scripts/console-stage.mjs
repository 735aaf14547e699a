// What the console needs to be looked at: the built hookline in a pseudo-terminal, its web server, and a browser, over a directory of
// their own. Needs ports 53219 and 53220 and a chromium (CHROME_PATH names its binary, as for e2e/; default /usr/bin/chromium).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import { chromium } from 'playwright-core'
import { BINARY, LISTENING } from '../harness/process/built-hookline.mjs'

const PATIENCE_MS = 30_000
const LISTENS = new RegExp(LISTENING.replaceAll('.', '\\.'))

/** hookline with a person at its prompt. */
export class Hookline {
  #pty
  #output = ''
  #heard = () => {}

  /** @param {string} directory */
  constructor(directory) {
    this.#pty = pty.spawn(process.execPath, [BINARY], {
      cols: 140,
      rows: 40,
      env: { ...process.env, HOOKLINE_CONFIG_DIR: directory, TERM: 'xterm-256color', NO_COLOR: '1' },
    })
    this.#pty.onData((data) => {
      this.#output += data
      this.#heard()
    })
  }

  /** @param {RegExp} pattern @returns {Promise<RegExpExecArray>} the match, in what was written since the last one */
  async says(pattern) {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const match = pattern.exec(this.#output)
      if (match) {
        this.#output = this.#output.slice(match.index + match[0].length)
        return match
      }
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`hookline never said ${pattern}; it said\n${this.#output}`)
      /** @type {Promise<void>} */
      const heard = new Promise((wake) => {
        const timer = setTimeout(wake, left)
        this.#heard = () => {
          clearTimeout(timer)
          wake()
        }
      })
      await heard
    }
  }

  /** @param {string} line */
  type(line) {
    this.#pty.write(`${line}\r`)
  }

  /** To the page that asks; again where hookline says that it came too soon to have been read. @param {'y' | 'n'} word */
  async answer(word) {
    await this.says(/approve it\? y or n/)
    for (;;) {
      this.type(word)
      const [said] = await this.says(/(approved|denied) console in |please read it again/)
      if (!said.startsWith('please')) return
    }
  }

  async stop() {
    const ended = new Promise((done) => this.#pty.onExit(done))
    this.type('exit')
    await ended
  }
}

/** With nobody at its prompt, and its output thrown away. @param {string} directory @returns {() => Promise<void>} ends it */
export function startAlone(directory) {
  const listener = spawn(process.execPath, [BINARY, 'listen'], {
    env: { ...process.env, HOOKLINE_CONFIG_DIR: directory },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return async () => {
    const ended = once(listener, 'exit')
    listener.kill()
    await ended
  }
}

/** @typedef {Awaited<ReturnType<typeof openStage>>} Stage */

export async function openStage() {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-stage-'))
  const elsewhere = mkdtempSync(join(tmpdir(), 'hookline-stage-'))
  const web = spawn(process.execPath, [BINARY, 'web'], {
    env: { ...process.env, HOOKLINE_CONFIG_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(web.stdout, 'data')
  const browser = await chromium.launch({
    executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  async function startHookline() {
    const hookline = new Hookline(directory)
    await hookline.says(LISTENS)
    // Once it has checked in, pages connect by themselves.
    const deadline = Date.now() + PATIENCE_MS
    while (!existsSync(join(directory, 'web-settings.json'))) {
      if (Date.now() > deadline) throw new Error('hookline never checked in')
      await new Promise((wake) => setTimeout(wake, 50))
    }
    return hookline
  }
  return {
    url: 'http://127.0.0.1:53220',
    directory,
    browser,
    startHookline,
    /** Another installation's. */
    async startOther() {
      const hookline = new Hookline(elsewhere)
      await hookline.says(LISTENS)
      return hookline
    },
    /** `hookline cross-trade run`, once it runs. @returns {Promise<() => Promise<void>>} ends it */
    async startEngine() {
      const engine = spawn(process.execPath, [BINARY, 'cross-trade', 'run'], {
        env: { ...process.env, HOOKLINE_CONFIG_DIR: directory },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(engine.stdout, 'data')
      return async () => {
        const ended = once(engine, 'exit')
        engine.kill()
        await ended
      }
    },
    /** @param {string} name @param {unknown} content */
    write: (name, content) => writeFileSync(join(directory, name), JSON.stringify(content)),
    /** @param {string} name @returns {any} */
    read: (name) => JSON.parse(readFileSync(join(directory, name), 'utf8')),
    async close() {
      await browser.close()
      web.kill()
      await once(web, 'exit')
      for (const each of [directory, elsewhere]) rmSync(each, { recursive: true, force: true })
    },
  }
}
