import { describe, expect, it } from 'vitest'
import {
  askService,
  installService,
  isCurrent,
  type ServicePorts,
  showLogs,
  type ToolAnswer,
  uninstallService,
} from '../../src/service/service.ts'
import { managerOf, type ToolCommand } from '../../src/service/service-manager.ts'
import type { ServiceSpec } from '../../src/service/service-spec.ts'
import { OWN_VIEW } from '../../src/service/systemd-unit.ts'

const SPEC: ServiceSpec = {
  program: ['/usr/bin/hookline'],
  directory: '/home/ada/.hookline',
  isDirectoryChosen: false,
  hasOwnView: true,
}

const ok = (stdout = ''): ToolAnswer => ({ outcome: 'ended', code: 0, stdout, stderr: '' })
const failed = (stderr: string): ToolAnswer => ({ outcome: 'ended', code: 1, stdout: '', stderr })

/** A manager that answers from a table by the first words that fit; else well. */
function staged(
  answers: readonly (readonly [begin: string, answer: ToolAnswer])[] = [],
  platform: NodeJS.Platform = 'linux',
) {
  const ran: string[] = []
  const told: string[] = []
  const files = new Map<string, string>()
  const run = async (command: ToolCommand): Promise<ToolAnswer> => {
    const line = command.join(' ')
    ran.push(line)
    return answers.find(([begin]) => line.startsWith(begin))?.[1] ?? ok()
  }
  const place = { home: '/home/ada', directory: SPEC.directory, env: {}, uid: 1_000, user: 'ada' }
  const ports: ServicePorts = {
    manager: managerOf({ ...place, platform }),
    files: {
      read: (path) => files.get(path),
      write: async (path, text) => void files.set(path, text),
      remove: async (path) => files.delete(path),
    },
    run,
    show: run,
    printLine: (text) => void told.push(`say ${text.split('\n')[0]}`),
    warn: (text) => void told.push(`warn ${text}`),
  }
  return { ports, ran, told, files }
}

const UNIT = '/home/ada/.config/systemd/user/hookline.service'
const LINGERS = ['loginctl', ok('yes\n')] as const

describe('installing', () => {
  it('asks the manager, tries the sandbox, writes the file, and starts it', async () => {
    const { ports, ran, told, files } = staged([LINGERS])
    await installService(ports, SPEC)
    expect(files.get(UNIT)).toBe(ports.manager.text(SPEC))
    expect(ran).toEqual([
      'systemctl --user show --property=Version',
      `systemd-run --user --wait --collect --quiet ${OWN_VIEW.map((line) => `--property=${line}`).join(' ')} /bin/true`,
      'systemctl --user daemon-reload',
      'systemctl --user reset-failed hookline.service',
      'systemctl --user enable hookline.service',
      'systemctl --user restart hookline.service',
      'loginctl show-user 1000 --property=Linger --value',
    ])
    expect(told).toEqual([
      `say writing ${UNIT}:`,
      'say systemd runs hookline.service now, and at each start of your session',
    ])
  })

  it('a second time starts nothing anew', async () => {
    const { ports, ran, told } = staged([LINGERS])
    await installService(ports, SPEC)
    ran.length = told.length = 0
    await installService(ports, SPEC)
    expect(ran.filter((line) => /restart| start /.test(line))).toEqual(['systemctl --user start hookline.service'])
    expect(told[0]).toBe(`say ${UNIT} is up to date`)
  })

  it('writes no sandbox of files where the kernel refuses it, and says so', async () => {
    const { ports, told, files } = staged([LINGERS, ['systemd-run', failed('')]])
    await installService(ports, SPEC)
    expect(files.get(UNIT)).not.toContain('ProtectSystem=')
    expect(told).toContainEqual(expect.stringMatching(/^warn this kernel/))
    expect(isCurrent(ports, SPEC)).toBe(true)
  })

  it.each([
    ['no\n', 'warn it ends when you log out: run `loginctl enable-linger` to keep it running'],
    ['', 'warn whether it survives a logout is not known: run `loginctl enable-linger` to keep it running'],
  ])('tells of a logout where lingering is %j', async (answer, told) => {
    const stage = staged([['loginctl', ok(answer)]])
    await installService(stage.ports, SPEC)
    expect(stage.told).toContain(told)
  })

  it('writes nothing where the manager is missing or does not answer', async () => {
    const gone = staged([['systemctl', { outcome: 'missing' }]])
    await expect(installService(gone.ports, SPEC)).rejects.toMatchObject({ code: 'no-manager' })
    const silent = staged([['systemctl', failed('Failed to connect to bus: No medium found\n')]])
    await expect(installService(silent.ports, SPEC)).rejects.toMatchObject({
      code: 'no-manager',
      message: 'systemd does not answer this user: Failed to connect to bus: No medium found',
    })
    expect([gone.files.size, silent.files.size]).toEqual([0, 0])
  })

  it('says which step failed', async () => {
    const { ports } = staged([['systemctl --user restart', failed('Job failed.\n')]])
    await expect(installService(ports, SPEC)).rejects.toMatchObject({
      code: 'manager-failed',
      message: '`systemctl --user restart hookline.service` failed: Job failed.',
    })
  })

  it.each(['darwin', 'win32'] as const)('on %s goes on where there was nothing to end', async (platform) => {
    const ending = platform === 'darwin' ? 'launchctl bootout' : 'schtasks /End'
    const { ports, ran } = staged([[ending, failed('no such service')]], platform)
    await installService(ports, SPEC)
    expect(ran.at(-1)).toMatch(/^(?:launchctl kickstart|schtasks \/Run)/)
  })
})

describe('a service that is there', () => {
  it('is asked of the manager, and one that is not there is not', async () => {
    const { ports, ran } = staged([['systemctl --user show hookline', ok('ActiveState=active\nMainPID=9\n')]])
    expect(await askService(ports)).toBeUndefined()
    expect(ran).toEqual([])
    await installService(ports, SPEC)
    expect(await askService(ports)).toMatchObject({ is: 'running', pid: 9 })
  })

  it('is not current once another program is meant', async () => {
    const { ports } = staged()
    await installService(ports, SPEC)
    expect(isCurrent(ports, SPEC)).toBe(true)
    expect(isCurrent(ports, { ...SPEC, program: ['/usr/local/bin/hookline'] })).toBe(false)
  })

  it('shows its logs, and says so where nothing can', async () => {
    const { ports, ran, files } = staged()
    files.set(UNIT, 'installed')
    expect(await showLogs(ports, { lines: 3, isFollowed: false })).toBe(0)
    expect(ran).toEqual(['journalctl --quiet --user-unit=hookline.service --lines=3 --no-pager'])
    const gone = staged([['journalctl', { outcome: 'missing' }]])
    gone.files.set(UNIT, 'installed')
    await expect(showLogs(gone.ports, { lines: 3, isFollowed: false })).rejects.toMatchObject({ code: 'no-manager' })
  })

  it('has no logs before it is installed: nothing is asked, and none is followed', async () => {
    const { ports, ran } = staged()
    await expect(showLogs(ports, { lines: 3, isFollowed: true })).rejects.toMatchObject({
      code: 'not-installed',
      message: `no service of hookline found: ${UNIT} does not exist`,
      hint: 'install it with `hookline service install`',
    })
    expect(ran).toEqual([])
  })

  it('is stopped before its file is removed, and forgotten after', async () => {
    const { ports, ran, files } = staged()
    await installService(ports, SPEC)
    ran.length = 0
    await uninstallService(ports, SPEC.directory)
    expect(ran).toEqual([
      'systemctl --user show --property=Version',
      'systemctl --user disable --now hookline.service',
      'systemctl --user daemon-reload',
    ])
    expect(files.size).toBe(0)
    await expect(uninstallService(ports, SPEC.directory)).rejects.toMatchObject({ code: 'not-installed' })
  })

  it('keeps its file where it cannot be stopped', async () => {
    const { ports, files } = staged([['systemctl --user disable', failed('Access denied')]])
    await installService(ports, SPEC)
    await expect(uninstallService(ports, SPEC.directory)).rejects.toMatchObject({ code: 'manager-failed' })
    expect(files.size).toBe(1)
  })
})
