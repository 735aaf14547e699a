import { spawnSync } from 'node:child_process'
import { readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { run } from '../../harness/process/hookline.ts'
import { systemdUnit } from '../../src/service/systemd-unit.ts'
import { serviceFiles } from '../../src/stores/atomic-write.ts'
import { isJournal } from '../../src/stores/kernel-files.ts'

it('a unit is sound to systemd itself, whatever characters its paths have', ({ skip }) => {
  skip(spawnSync('systemd-analyze', ['--version']).error !== undefined, 'systemd-analyze is not installed')
  const folder = tempDirectory()
  const program = join(folder, 'a b 100% $HOME ä')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const unit = join(folder, 'hookline.service')
  const text = systemdUnit({
    program: [program, '/a "b" $HOME 100%n \\n'],
    directory: '/srv/a "b" 100%i',
    isDirectoryChosen: true,
    hasOwnView: true,
  })
  // What systemd would read as the name of the unit, or of its instance, passes its check too.
  expect(text).toContain(`\nExecStart=:"${program.replace('%', '%%')}" "/a \\"b\\" $HOME 100%%n \\\\n"`)
  expect(text).toContain('\nEnvironment="HOOKLINE_CONFIG_DIR=/srv/a \\"b\\" 100%%i"\n')
  writeFileSync(unit, text)
  const { status, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', '--man=no', unit], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', XDG_RUNTIME_DIR: folder, HOME: folder },
  })
  expect(stderr.split('\n').filter((line) => line.includes('hookline'))).toEqual([])
  expect(status).toBe(0)
})

it('a file of a service is written with its folder, closed to others, and removed once', async () => {
  const path = join(tempDirectory(), 'systemd/user/hookline.service')
  expect(serviceFiles.read(path)).toBeUndefined()
  await serviceFiles.write(path, 'one')
  await serviceFiles.write(path, 'two')
  expect([serviceFiles.read(path), statSync(path).mode & 0o777]).toEqual(['two', 0o600])
  expect([await serviceFiles.remove(path), await serviceFiles.remove(path)]).toEqual([true, false])
})

it('a masked unit is left alone: what it links to is not replaced', () => {
  const path = join(tempDirectory(), 'hookline.service')
  symlinkSync('/dev/null', path)
  expect(() => serviceFiles.read(path)).toThrow(expect.objectContaining({ code: 'store-write-failed' }))
  expect(readlinkSync(path)).toBe('/dev/null')
})

it('prints the file and does nothing, and without a flag refuses root', async ({ skip }) => {
  skip(process.platform !== 'linux', 'the words are those of systemd')
  const directory = tempDirectory()
  const printed = await run(directory, ['service', 'install', '--print'])
  expect(printed).toMatchObject({ code: 0, stderr: '' })
  expect(printed.stdout).toContain(`Environment="HOOKLINE_CONFIG_DIR=${directory}"`)
  expect(printed.stdout).toContain(`ExecStart=:"${process.execPath}" "`)
  expect(() => statSync(join(directory, '.config'))).toThrow('ENOENT')
  skip(process.getuid?.() !== 0, 'this is not root')
  const refused = await run(directory, ['service', 'install'])
  expect(refused).toEqual({
    stdout: '',
    stderr: 'error: this would run hookline as root (run it as the user who trades, or give --as-root)\n',
    code: 1,
  })
})

it('says in one line that the manager, or the service, is not there', async ({ skip }) => {
  skip(process.platform !== 'linux', 'the words are those of systemd')
  const nowhere = {
    PATH: '/nonexistent',
    XDG_RUNTIME_DIR: '/nonexistent',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  }
  const directory = tempDirectory()
  const refused = await run(directory, ['service', 'install', '--as-root'], { env: nowhere })
  expect(refused).toMatchObject({ stdout: '', code: 1 })
  expect(refused.stderr).toBe(
    'error: systemd is not here: there is no program `systemctl` (let your service manager run `hookline listen`)\n',
  )
  expect(await run(directory, ['service', 'logs'], { env: nowhere })).toMatchObject({
    stderr: expect.stringMatching(
      /^error: no service of hookline found: .* \(install it with `hookline service install`\)\n$/,
    ),
    code: 1,
  })
})

it('output is the journal only where the variable names that very file', () => {
  const { dev, ino } = statSync('/dev/null', { bigint: true })
  const stat = () => statSync('/dev/null', { bigint: true })
  expect(isJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, stat)).toBe(true)
  expect(isJournal({ JOURNAL_STREAM: `${dev}:${ino}1` }, stat)).toBe(false)
  expect(isJournal({ JOURNAL_STREAM: '' }, stat)).toBe(false)
  expect(isJournal({}, stat)).toBe(false)
  expect(isJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, () => undefined)).toBe(false)
})
