import { spawn } from 'node:child_process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // The first argument of `start` in quotes is a window's title.
  win32: ['cmd', '/c', 'start', ''],
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
