// The service under a real systemd of one user: installed, asked, killed, brought up to date, removed.
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { BINARY, post } from '../../harness/process/hookline.ts'
import { MANAGED_HOME, UserManager } from '../../harness/process/user-manager.ts'

const DIST = dirname(BINARY)
const UNIT = `${MANAGED_HOME}/.config/systemd/user/hookline.service`

/** A page of the same user asks for a session: the kernel names the user, also to a process in a namespace of its own. */
const PAGE = `
  const headers = {
    ...{ Connection: 'Upgrade', Upgrade: 'websocket', Origin: 'http://127.0.0.1:53220' },
    ...{ 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
  }
  require('node:http').get('http://127.0.0.1:53219/ws', { headers }, ({ statusCode }) => console.log(statusCode))
    .on('upgrade', (_response, socket) => { console.log('let in'); socket.destroy() })
`

const pidOf = (manager: UserManager): number =>
  Number(manager.run('systemctl', ['--user', 'show', 'hookline', '--property=MainPID', '--value']).stdout)

/** Fifteen starts of Node and systemd, and the 5 s before a restart. */
const PATIENT = { timeout: 180_000 }
const POLL = { timeout: 60_000 }

it(
  'listens as a service, fires a hook, comes back when it is killed, and ends with its file',
  PATIENT,
  async (context) => {
    const manager = await UserManager.start(context, DIST)
    const installed = manager.hookline('service', 'install')
    expect(installed).toMatchObject({ stdout: expect.stringContaining('writing'), code: 0 })
    expect(installed.stdout).toContain(`writing ${UNIT}:\n# Written by`)
    expect(installed.stdout).toMatch(/hookline listens on 127\.0\.0\.1:53219 \(pid \d+\)\n$/)
    expect(installed.stderr).toContain('warning: whether it survives a logout is not known')
    expect(manager.hookline('service', 'status')).toMatchObject({
      stdout: expect.stringContaining(`hookline.service is running (systemd, ${UNIT})`),
      code: 0,
    })

    const hook = JSON.parse(manager.hookline('hook', 'create', 'x', 'buy $100', '--json').stdout)
    const before = pidOf(manager)
    expect((await post(hook.url, hook.token)).status).toBe(200)
    await expect.poll(() => manager.hookline('service', 'logs').stdout, POLL).toMatch(/\[hook:x\].*bought/)
    expect(manager.hookline('service', 'logs').stdout).not.toMatch(/\d{4}-\d\d-\d\dT/)

    expect(manager.run(process.execPath, ['-e', PAGE]).stdout).toBe('let in\n')

    manager.hookline('exec', 'panic')
    expect(manager.hookline('service', 'status')).toMatchObject({
      stderr: expect.stringContaining('warning: a fire cannot trade: panic: panic is on'),
      code: 1,
    })
    manager.hookline('exec', 'resume')

    const again = manager.hookline('service', 'install')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`${UNIT} is up to date`)])
    expect(pidOf(manager)).toBe(before)

    manager.run('kill', ['-9', String(before)])
    await expect.poll(() => pidOf(manager), POLL).toBeGreaterThan(before)
    await expect
      .poll(
        () =>
          post(hook.url, hook.token).then(
            ({ status }) => status,
            () => 0,
          ),
        POLL,
      )
      .toBe(200)

    // What a login, or the start of a machine with lingering, does.
    manager.run('systemctl', ['--user', 'stop', 'hookline'])
    expect(pidOf(manager)).toBe(0)
    manager.run('systemctl', ['--user', 'start', 'default.target'])
    await expect.poll(() => pidOf(manager), POLL).toBeGreaterThan(0)

    expect(manager.hookline('service', 'uninstall')).toMatchObject({
      stdout: expect.stringContaining(`accounts, hooks and journals stay in ${MANAGED_HOME}/.hookline`),
      code: 0,
    })
    expect(manager.run('test', ['-e', UNIT]).code).toBe(1)
    expect(manager.run('test', ['-e', `${MANAGED_HOME}/.hookline/hooks.json`]).code).toBe(0)
    expect(manager.hookline('service', 'status')).toMatchObject({
      stdout: 'there is no service of hookline for systemd; `hookline service install` makes one\n',
      code: 1,
    })
    expect(manager.hookline('service', 'uninstall')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: /),
    })
  },
)

const STRAY = `/tmp/hookline-stray-${process.pid}`

/** In place of the program: what the sandbox lets a process do. */
const PROBE = `
  const { writeFileSync, mkdirSync } = require('node:fs')
  const attempt = (name, work) => {
    try { work(); console.log(name, 'yes') } catch ({ code }) { console.log(name, code) }
  }
  attempt('home', () => writeFileSync('${MANAGED_HOME}/stray', ''))
  attempt('config', () => writeFileSync('${MANAGED_HOME}/.hookline/kept', ''))
  attempt('tmp', () => writeFileSync('${STRAY}', ''))
  attempt('root', () => writeFileSync('/stray', ''))
  attempt('tunables', () => writeFileSync('/proc/sys/kernel/core_pattern', 'x'))
  attempt('groups', () => mkdirSync('/sys/fs/cgroup/stray'))
  console.log('disks', require('node:fs').readdirSync('/dev').filter((name) => /^(?:[sv]d|nvme|mem|kmsg)/.test(name)).join() || 'none')
  attempt('credential', () => {
    const path = require('node:path').join(process.env.CREDENTIALS_DIRECTORY, 'hookline-vault')
    const { uid, mode } = require('node:fs').statSync(path)
    if (uid !== process.getuid() || (mode & 0o077) !== 0) throw { code: 'open to others' }
    if (require('node:fs').readFileSync(path, 'utf8') !== 'correct horse') throw { code: 'another' }
  })
  console.log('compiles', [1, 2, 3].map((x) => x * 2).join())
  console.log('addresses', Object.keys(require('node:os').networkInterfaces()).join())
  console.log('done')
`

it('may write to the config directory and to a /tmp of its own, and to nothing else', PATIENT, async (context) => {
  const manager = await UserManager.start(context, DIST)
  const installed = manager.hookline('service', 'install')
  expect(installed.code).toBe(0)
  context.skip(installed.stderr.includes('no view of their own'), 'this kernel gives users no namespaces')
  manager.run('systemctl', ['--user', 'stop', 'hookline'])
  const probe = `${MANAGED_HOME}/.hookline/probe.js`
  manager.run(process.execPath, ['-e', `require('fs').writeFileSync(process.argv[1], process.argv[2])`, probe, PROBE])
  const drop = `${UNIT}.d`
  manager.run('mkdir', ['-p', drop])
  const secret = `${MANAGED_HOME}/passphrase`
  manager.run(process.execPath, ['-e', `require('fs').writeFileSync('${secret}', 'correct horse', { mode: 0o600 })`])
  const text = `[Service]\nLoadCredential=hookline-vault:%h/passphrase\nExecStart=\nExecStart=${process.execPath} ${probe}\n`
  manager.run(process.execPath, [
    '-e',
    `require('fs').writeFileSync(process.argv[1], process.argv[2])`,
    `${drop}/x.conf`,
    text,
  ])
  manager.run('systemctl', ['--user', 'daemon-reload'])
  manager.run('systemctl', ['--user', 'start', 'hookline'])
  const logs = () => manager.run('journalctl', ['--user', '--user-unit=hookline', '--no-pager', '--output=cat']).stdout
  await expect.poll(logs, POLL).toContain('done\n')
  const said = Object.fromEntries([...logs().matchAll(/^(\w+) (.+)$/gm)].map(([, name, what]) => [name, what]))
  expect(said).toMatchObject({
    home: 'EROFS',
    config: 'yes',
    tmp: 'yes',
    root: expect.stringMatching(/^E(ROFS|ACCES)$/),
    credential: 'yes',
    disks: 'none',
    tunables: expect.stringMatching(/^E(ROFS|ACCES)$/),
    groups: expect.stringMatching(/^E(ROFS|ACCES)$/),
    compiles: '2,4,6',
    addresses: 'lo',
  })
  expect(manager.run('test', ['-e', STRAY]).code).toBe(1)
})
