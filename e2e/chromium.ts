// Finds the browser that the end-to-end tests drive, or fetches it: Debian's own package where that can be done without asking. Where there
// is none and none can be had, each test is skipped with the reason. Most tests run in Chromium's headless shell, the same engine without
// the browser's own pages around it, which takes a third less of the machine.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** What every test of the project `e2e` is given. */
export type Chromium =
  | { readonly path: string; readonly version: string }
  /** Why there is none, and what to do about it. */
  | { readonly missing: string }

declare module 'vitest' {
  interface ProvidedContext {
    readonly chromium: Chromium
    /** The headless shell; the whole browser where there is no shell. */
    readonly headlessShell: Chromium
  }
}

const SHELL = 'chromium-headless-shell'
const NAMES = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']

export default function setup(project: TestProject): void {
  const chromium = findChromium() ?? installChromium()
  const shell = 'missing' in chromium || process.env.CHROME_PATH ? chromium : (findShell(chromium) ?? chromium)
  project.provide('chromium', chromium)
  project.provide('headlessShell', shell)
  say('missing' in chromium ? `the browser tests are skipped: ${chromium.missing}` : `the browser: ${chromium.version}`)
  if (shell === chromium && !('missing' in chromium)) say('without its headless shell, the browser tests take longer')
}

/** @returns undefined: there is none of the same version, and none can be had */
function findShell({ version }: { readonly version: string }): Chromium | undefined {
  const find = () => {
    const shell = firstStartable([SHELL])
    return shell && 'path' in shell && numberOf(shell.version) === numberOf(version) ? shell : undefined
  }
  if (find() === undefined && isDebian() && process.getuid?.() === 0) install([SHELL])
  return find()
}

const numberOf = (version: string) => /\d+(?:\.\d+)+/.exec(version)?.[0]

/** CHROME_PATH wins; one that does not start counts as none. */
function findChromium(): Chromium | undefined {
  const { CHROME_PATH } = process.env
  if (CHROME_PATH) {
    return startable(CHROME_PATH) ?? { missing: `CHROME_PATH is ${CHROME_PATH}, which does not start` }
  }
  return firstStartable(NAMES)
}

function firstStartable(names: readonly string[]): Chromium | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.filter(isExecutable).map(startable).find(Boolean)
}

function installChromium(): Chromium {
  if (!isDebian()) return { missing: `no chromium found (${NAMES.join(', ')}); install one, or name it in CHROME_PATH` }
  if (process.getuid?.() !== 0) return { missing: 'no chromium found; as root: apt-get install chromium' }
  const failed = install(['chromium', SHELL, 'fonts-dejavu-core'])
  if (failed !== undefined) return { missing: failed }
  return findChromium() ?? { missing: 'apt-get installed chromium, but it does not start' }
}

/** @returns why it failed */
function install(packages: readonly string[]): string | undefined {
  say(`installing Debian's ${packages.join(', ')} for the browser tests`)
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', ...packages],
  ]) {
    // The port tier fetches its proxies meanwhile.
    const { status, error } = spawnSync('flock', ['/var/lib/apt', 'apt-get', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    if (status !== 0) return `apt-get ${args.join(' ')} failed: ${error?.message ?? `exit status ${status}`}`
  }
  return undefined
}

function startable(path: string): Chromium | undefined {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 ? { path, version: stdout.trim() } : undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Ubuntu's package of that name is a snap, which needs a running snapd. */
function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
  } catch {
    return false
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
