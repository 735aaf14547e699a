import { describe, expect, it } from 'vitest'
import { launchdAgent } from '../../src/service/launchd-agent.ts'
import { managerOf } from '../../src/service/service-manager.ts'
import type { ServiceSpec } from '../../src/service/service-spec.ts'
import { systemdUnit } from '../../src/service/systemd-unit.ts'
import { windowsTask } from '../../src/service/windows-task.ts'

const NPM: ServiceSpec = {
  program: ['/usr/bin/node', '/usr/lib/node_modules/hookline/hookline.cjs'],
  directory: '/home/ada/.hookline',
  isDirectoryChosen: false,
  hasOwnView: true,
}
const BINARY: ServiceSpec = {
  program: ['/opt/b 100%/no$de', '/opt/a "b" 100%/hook$line'],
  directory: '/srv/a\\b & <c>',
  isDirectoryChosen: true,
  hasOwnView: true,
}

describe('a systemd unit', () => {
  it('runs node and the program of an installed package', () => {
    expect(systemdUnit(NPM)).toMatchSnapshot()
  })

  it('keeps the characters of paths that systemd reads otherwise', () => {
    const lines = systemdUnit(BINARY).split('\n')
    expect(lines).toContain(String.raw`ExecStart=:"/opt/b 100%%/no$de" "/opt/a \"b\" 100%%/hook$line" "listen"`)
    expect(lines).toContain(String.raw`Environment="HOOKLINE_CONFIG_DIR=/srv/a\\b & <c>"`)
    expect(lines).toContain(String.raw`ReadWritePaths="/srv/a\\b & <c>"`)
  })

  it('never takes the memory that Node compiles into', () => {
    expect(systemdUnit(NPM)).not.toMatch(/^MemoryDenyWriteExecute/m)
  })

  it('shares /tmp where a path of it is there', () => {
    expect(systemdUnit(NPM)).toContain('\nPrivateTmp=yes\n')
    expect(systemdUnit({ ...NPM, directory: '/tmp/x' })).not.toContain('\nPrivateTmp=')
    expect(systemdUnit({ ...NPM, program: ['/var/tmp/hookline'] })).not.toContain('\nPrivateTmp=')
  })

  it('leaves the files open where the kernel has no other view of them', () => {
    const text = systemdUnit({ ...NPM, hasOwnView: false })
    expect(text).not.toMatch(/^(?:Private|Protect|ReadWrite)/m)
    expect(text).toMatch(/^NoNewPrivileges=yes$/m)
  })

  it.each(['/a\nExecStart=/bin/evil', '/a\u0000', '/a\r'])('is not written for the path %j', (path) => {
    const code = expect.objectContaining({ code: 'unsuitable-path' })
    expect(() => systemdUnit({ ...NPM, directory: path })).toThrow(code)
    expect(() => systemdUnit({ ...NPM, program: [path] })).toThrow(code)
  })

  it.each(['/a"b', "/a'b", '/a\\b'])('is not written for a binary at %j, which systemd does not start', (path) => {
    const code = expect.objectContaining({ code: 'unsuitable-path' })
    expect(() => systemdUnit({ ...NPM, program: [path] })).toThrow(code)
    expect(systemdUnit({ ...NPM, program: ['/usr/bin/node', path] })).toContain('ExecStart')
  })
})

describe('a launchd agent', () => {
  it('runs node and the program of an installed package', () => {
    expect(launchdAgent(NPM, '/Users/ada/.hookline/service.log')).toMatchSnapshot()
  })

  it('escapes what XML reads otherwise', () => {
    const text = launchdAgent(BINARY, '/x')
    expect(text).toContain('<string>/opt/a "b" 100%/hook$line</string>')
    expect(text).toContain('<string>/srv/a\\b &amp; &lt;c&gt;</string>')
    expect(() => launchdAgent({ ...NPM, directory: '/a\u0001' }, '/x')).toThrow(
      expect.objectContaining({ code: 'unsuitable-path' }),
    )
  })
})

describe('a Windows task', () => {
  const WINDOWS: ServiceSpec = {
    program: [String.raw`C:\Program Files\nodejs\node.exe`, String.raw`C:\Users\Ada\npm\hookline.cjs`],
    directory: String.raw`C:\Users\Ada\.hookline`,
    isDirectoryChosen: true,
    hasOwnView: false,
  }
  const options = { logPath: String.raw`C:\Users\Ada\.hookline\service.log`, user: String.raw`PC\Ada` }

  it('runs node and the program at logon, with its output in a file', () => {
    expect(windowsTask(WINDOWS, options)).toMatchSnapshot()
  })

  it('is ASCII, whatever the paths', () => {
    const text = windowsTask({ ...WINDOWS, directory: 'C:\\Käthe\\😀' }, options)
    expect(text).toMatch(/^[\n -~]*$/)
    expect(text).toContain('C:\\K&#228;the\\&#128512;')
  })

  it.each(['C:\\%TEMP%', 'C:\\a"b', 'C:\\a\nb'])('is not written for the path %j', (path) => {
    const code = expect.objectContaining({ code: 'unsuitable-path' })
    expect(() => windowsTask({ ...WINDOWS, directory: path }, options)).toThrow(code)
    expect(() => windowsTask(WINDOWS, { ...options, logPath: path })).toThrow(code)
  })
})

describe('the manager of a system', () => {
  const place = { home: '/home/ada', directory: '/home/ada/.hookline', env: {}, uid: 1_000, user: 'ada' }

  it.each([
    ['linux', '/home/ada/.config/systemd/user/hookline.service'],
    ['darwin', '/home/ada/Library/LaunchAgents/hookline.listen.plist'],
    ['win32', '/home/ada/.hookline/service-task.xml'],
  ] as const)('of %s has its file at %s', (platform, path) => {
    const manager = managerOf({ ...place, platform })
    expect(manager.path).toBe(path)
    expect(manager.text(NPM)).toContain('listen')
  })

  it('of systemd follows XDG_CONFIG_HOME where it is absolute', () => {
    const pathWith = (XDG_CONFIG_HOME: string) =>
      managerOf({ ...place, platform: 'linux', env: { XDG_CONFIG_HOME } }).path
    expect(pathWith('/etc/mine')).toBe('/etc/mine/systemd/user/hookline.service')
    expect(pathWith('mine')).toBe('/home/ada/.config/systemd/user/hookline.service')
  })

  it('of another system is not known', () => {
    expect(() => managerOf({ ...place, platform: 'sunos' })).toThrow(
      expect.objectContaining({ code: 'unsupported-system' }),
    )
  })

  it('is asked for logs in its own words', () => {
    const logsOn = (platform: NodeJS.Platform, isFollowed: boolean) =>
      managerOf({ ...place, platform })
        .logs({ lines: 5, isFollowed })
        .join(' ')
    expect(logsOn('linux', false)).toBe('journalctl --quiet --user-unit=hookline.service --lines=5 --no-pager')
    expect(logsOn('linux', true)).toContain('--follow')
    expect(logsOn('darwin', true)).toBe('tail -n 5 -F /home/ada/.hookline/service.log')
    expect(logsOn('win32', false)).toContain("-LiteralPath '/home/ada/.hookline/service.log' -Tail 5")
  })

  it('says in which state the service is, and its process', () => {
    const stateOn = (platform: NodeJS.Platform, answer: string) => managerOf({ ...place, platform }).readState(answer)
    expect(stateOn('linux', 'MainPID=12\nActiveState=active\n')).toMatchObject({ is: 'running', pid: 12 })
    expect(stateOn('linux', 'MainPID=0\nActiveState=failed\n')).toEqual({ is: 'failed', hasPassphrase: false })
    expect(stateOn('linux', 'MainPID=0\nActiveState=activating\n')).toMatchObject({ is: 'starting' })
    expect(stateOn('linux', '')).toEqual({ is: 'stopped', hasPassphrase: false })
    expect(stateOn('linux', 'LoadCredential=hookline-vault:/x\n').hasPassphrase).toBe(true)
    expect(stateOn('linux', 'Environment=A=1 HOOKLINE_VAULT_PASSPHRASE_FILE=/x\n').hasPassphrase).toBe(true)
    expect(stateOn('darwin', 'x = {\n\tstate = running\n\tpid = 7\n}')).toEqual({ is: 'running', pid: 7 })
    expect(stateOn('darwin', 'Could not find service')).toEqual({ is: 'stopped' })
    expect(stateOn('win32', 'Status:        Running\r\n')).toEqual({ is: 'running' })
  })
})
