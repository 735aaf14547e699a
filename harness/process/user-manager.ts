// A real systemd: the manager of one user's services, with a journal, in namespaces and a control group of its own. Nothing of it reaches the
// machine: its /run, /home and /var/log are in memory, and it ends with the test.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished, type TestContext } from 'vitest'
import type { Ended } from './hookline.ts'

const UID = '4242'
/** Of its user; empty, and gone with the test. */
export const MANAGED_HOME = '/home/trader'
/** Where `dist` is found in there: a path that systemd has to be told with care. */
export const MANAGED_PROGRAM = `${MANAGED_HOME}/a "program" of 100% $HOME/dist/hookline.cjs`

const SYSTEMD = ['/usr/lib/systemd', '/lib/systemd'].find((folder) => existsSync(join(folder, 'systemd')))
const CGROUPS = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((path) => existsSync(join(path, 'cgroup.procs')))

/** $1: the folder of systemd; $2: dist; $3: its folder in there. */
const STAGE = `
set -e
mount --make-rprivate /
for at in /run /home /var/log; do mount -t tmpfs tmpfs $at; done
umount -l /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /var/log/journal /run/systemd/system /run/systemd/unit-root /run/systemd/mount-rootfs /run/systemd/journal /run/user/${UID} "$3"
touch /run/systemd/journal/flushed
mount --bind "$2" "$3"
# The session's bus asks who its user is.
{ cat /etc/passwd; echo "trader:x:${UID}:${UID}::${MANAGED_HOME}:/bin/sh"; } > /run/passwd; mount --bind /run/passwd /etc/passwd
chown ${UID}:${UID} /run/user/${UID} ${MANAGED_HOME}; chmod 700 /run/user/${UID} ${MANAGED_HOME}
"$1"/systemd-journald &
until [ -S /run/systemd/journal/stdout ]; do sleep 0.05; done
own=/sys/fs/cgroup/user.slice/user-${UID}.slice/user@${UID}.service
mkdir -p $own; chown -R ${UID}:${UID} $own; echo $$ > $own/cgroup.procs
setpriv --reuid ${UID} --regid ${UID} --clear-groups env -i PATH="$PATH" HOME=${MANAGED_HOME} XDG_RUNTIME_DIR=/run/user/${UID} "$1"/systemd --user --unit=basic.target &
until [ -S /run/user/${UID}/systemd/private ]; do kill -0 $!; sleep 0.05; done
echo ready
wait $!
`

export class UserManager {
  readonly #inside: string

  private constructor(inside: string) {
    this.#inside = inside
  }

  /** Skips the test where the machine has none, with the reason. @param dist the folder of the built program */
  static async start({ skip }: TestContext, dist: string): Promise<UserManager> {
    if (process.getuid?.() !== 0) return skip('only root can give a service manager namespaces of its own')
    if (SYSTEMD === undefined) return skip('there is no systemd')
    if (CGROUPS === undefined) return skip('there are no control groups of version 2')
    const group = join(CGROUPS, `hookline-test-${process.pid}`)
    try {
      mkdirSync(group)
    } catch (error) {
      return skip(`no control group can be made: ${(error as Error).message}`)
    }
    const script = 'echo $$ > "$1"/cgroup.procs; shift; exec "$@"'
    const namespaces = ['unshare', '-C', '-m', '-p', '-f', '--mount-proc', '--kill-child', 'bash', '-c', STAGE]
    const args = [SYSTEMD, dist, MANAGED_PROGRAM.replace(/\/[^/]*$/, '')]
    const child = spawn('sh', ['-c', script, 'sh', group, ...namespaces, 'stage', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
      await removeGroup(group)
    })
    const stderr = text(child.stderr)
    const isReady = await Promise.race([
      once(child.stdout, 'data').then(([said]) => String(said) === 'ready\n'),
      once(child, 'close').then(() => false),
    ])
    if (!isReady) return skip(`systemd does not start here: ${(await stderr).trim().split('\n').at(-1)}`)
    return new UserManager(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim())
  }

  /** Runs a program as the user. */
  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ended {
    const own = { PATH: process.env.PATH ?? '', HOME: MANAGED_HOME, XDG_RUNTIME_DIR: `/run/user/${UID}`, ...env }
    const words = Object.entries(own).map(([name, value]) => `${name}=${value}`)
    const { stdout, stderr, status } = spawnSync(
      'nsenter',
      [
        '-t',
        this.#inside,
        '-m',
        '-p',
        '-C',
        '--',
        'setpriv',
        '--reuid',
        UID,
        '--regid',
        UID,
        '--clear-groups',
        'env',
        '-i',
        '-C',
        MANAGED_HOME,
        ...words,
        command,
        ...args,
      ],
      { encoding: 'utf8' },
    )
    return { stdout, stderr, code: status }
  }

  hookline(...args: readonly string[]): Ended {
    return this.run(process.execPath, [MANAGED_PROGRAM, ...args])
  }
}

/** The kernel lets go of a group a moment after its last process. */
async function removeGroup(group: string): Promise<void> {
  for (let left = 50; ; left -= 1) {
    try {
      for (const folder of foldersIn(group).reverse()) rmdirSync(folder)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** A folder before what is in it. */
function foldersIn(folder: string): string[] {
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [folder, ...inner.flatMap(({ name }) => foldersIn(join(folder, name)))]
}
