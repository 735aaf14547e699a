// The browser of this machine. Its program gets the address as one argument: no shell reads it.
import { spawn } from 'node:child_process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens the default browser. It outlives this process, which does not wait for it. @param onFailed gets the program that could not */
export function openBrowser(url: string, onFailed: (opener: string) => void): void {
  const [opener, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(opener, [...args, url], { detached: true, stdio: 'ignore', windowsHide: true })
  child.on('error', () => onFailed(opener))
  child.on('exit', (code) => {
    if (code !== 0) onFailed(opener)
  })
  child.unref()
}

/** The same address without marks that mean something to a shell: on many systems what opens a browser is a shell script. */
export function withoutMarks(url: string): string {
  return url.replace(/[`'"$()|;\\<>]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Whether one can be seen by who sits here: on another machine's terminal it would open there. */
export function hasBrowser(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean {
  const isSet = (name: string) => (env[name] ?? '') !== ''
  if (isSet('SSH_CONNECTION') || isSet('SSH_TTY')) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY')
}

/** @returns undefined: there is none */
export function browserHere(env: NodeJS.ProcessEnv, warn: (text: string) => void): ((url: string) => void) | undefined {
  if (!hasBrowser(process.platform, env)) return undefined
  return (url) =>
    openBrowser(withoutMarks(url), (opener) => warn(`\`${opener}\` did not open a browser; open the address yourself`))
}
