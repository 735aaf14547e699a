// Notices on the desktop of this machine: a program of the system shows them, started without a shell and with each text as one argument.
import { spawn } from 'node:child_process'
import type { Taken } from './channel-sender.ts'
import { messageOf, NoticeError } from './notice.ts'

interface DesktopOptions {
  readonly platform: NodeJS.Platform
  /** What the program gets of the environment comes from here. */
  readonly env: NodeJS.ProcessEnv
}

interface ProgramCall {
  readonly file: string
  readonly args: readonly string[]
}

/** What a program needs to find the desktop; nothing else of the environment goes to it. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
]
const TITLE = 'hookline'
/** A bubble shows no more. */
const MAX_LENGTH = 1_500

export function desktopDelivery({ platform, env }: DesktopOptions) {
  const childEnv = Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
  return async (taken: Taken, signal: AbortSignal): Promise<void> => {
    const isUrgent = taken.rows.some(({ severity }) => severity === 'urgent')
    const text = messageOf(taken.rows, taken.leftOut, MAX_LENGTH)
    const call = callOf(platform, text, isUrgent)
    if (call === undefined) {
      throw new NoticeError('not-supported', `hookline shows no desktop notices on ${platform}`, {
        hint: '`notices add telegram` or `notices add webhook` reach you there',
      })
    }
    await runProgram(call, childEnv, signal)
  }
}

/** @returns undefined: no program of this system is known */
export function callOf(platform: NodeJS.Platform, text: string, isUrgent: boolean): ProgramCall | undefined {
  if (platform === 'linux') {
    const urgency = `--urgency=${isUrgent ? 'critical' : 'normal'}`
    // Servers read the body as a few tags of HTML, but not the title.
    return { file: 'notify-send', args: [`--app-name=${TITLE}`, urgency, '--', TITLE, escapeMarkup(text)] }
  }
  if (platform === 'darwin')
    return { file: 'osascript', args: [...SCRIPT.flatMap((line) => ['-e', line]), '--', text, TITLE] }
  return undefined
}

/** The text is an argument of the script, never a part of it. */
const SCRIPT = ['on run argv', 'display notification (item 1 of argv) with title (item 2 of argv)', 'end run']

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

async function runProgram({ file, args }: ProgramCall, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(file, args, { env, signal, killSignal: 'SIGKILL', shell: false, stdio: 'ignore' })
    child.on('error', (cause: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(new NoticeError('timeout', `${file} took too long`, { cause }))
      if (cause.code !== 'ENOENT') return reject(new NoticeError('unreachable', `${file} cannot be started`, { cause }))
      const hint = file === 'notify-send' ? 'install it: Debian and Ubuntu have it in libnotify-bin' : undefined
      reject(new NoticeError('not-supported', `there is no ${file} on this machine`, { cause, ...(hint && { hint }) }))
    })
    child.on('exit', (code) => {
      if (code === 0) resolve()
      else reject(new NoticeError('refused', `${file} failed${code === null ? '' : ` with status ${code}`}`))
    })
  })
}
