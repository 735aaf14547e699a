// What a release is made of: the owner's fields, the bill of materials, the files of package managers, and the workflows that publish them.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { packageManifests } from '../../scripts/release/manifests.mjs'
import { notesOf } from '../../scripts/release/notes.mjs'
import { billOfMaterials, compiledIn } from '../../scripts/release/sbom.mjs'
import { artifactsOf, OWNER_FIELDS, readOwner, readPackage } from '../../scripts/release/table.mjs'
import { packagedUnit } from '../../src/service/systemd-unit.ts'
import { read } from './lock-file.ts'

const WORKFLOWS = readdirSync('.github/workflows').map((file) => [file, read(`.github/workflows/${file}`)] as const)

describe("the owner's fields", () => {
  it('are those that docs/releasing.md describes', () => {
    const described = [...read('docs/releasing.md').matchAll(/^\| `([a-z]\w+)` \|/gm)].map(([, field]) => field)
    expect(described).toEqual([...OWNER_FIELDS])
    expect(Object.keys(JSON.parse(read('scripts/release/owner.json')))).toEqual([...OWNER_FIELDS])
  })

  it('are asked for by a release and not by a rehearsal', () => {
    expect(Object.values(readOwner({ rehearsal: true })).every((value) => value !== '')).toBe(true)
    const isFilled = OWNER_FIELDS.every((field) => JSON.parse(read('scripts/release/owner.json'))[field] !== '')
    if (isFilled) expect(readOwner({ rehearsal: false })).toEqual(JSON.parse(read('scripts/release/owner.json')))
    else expect(() => readOwner({ rehearsal: false })).toThrow('scripts/release/owner.json has no ')
  })
})

describe('the bill of materials', () => {
  const lock = JSON.stringify({
    packages: {
      'node_modules/@a/b': { version: '1.0.0', integrity: `sha512-${Buffer.from('one').toString('base64')}` },
      'node_modules/c': { version: '2.0.0', integrity: 'sha512-AA==' },
      'node_modules/x/node_modules/c': {
        version: '3.0.0',
        integrity: `sha512-${Buffer.from('two').toString('base64')}`,
      },
    },
  })
  const notices = '# Packages\n\n## @a/b 1.0.0: MIT\n\n```\n## No Liability\n```\n\n## c 3.0.0: (MIT OR Apache-2.0)\n'
  const of = { version: '0.2.0', license: 'MIT', seconds: 1_790_000_000, notices, lock }

  it('names each package with its version, its licence and the hash of that very version', () => {
    const { components, metadata, dependencies } = JSON.parse(billOfMaterials(of))
    expect(components).toMatchObject([
      {
        name: '@a/b',
        purl: 'pkg:npm/%40a/b@1.0.0',
        licenses: [{ license: { id: 'MIT' } }],
        hashes: [{ content: '6f6e65' }],
      },
      {
        name: 'c',
        version: '3.0.0',
        licenses: [{ expression: '(MIT OR Apache-2.0)' }],
        hashes: [{ content: '74776f' }],
      },
    ])
    expect(metadata.timestamp).toBe('2026-09-21T14:13:20.000Z')
    expect(dependencies[0].dependsOn).toEqual(['pkg:npm/%40a/b@1.0.0', 'pkg:npm/c@3.0.0'])
  })

  it('is the same text for the same build, and has another number for another', () => {
    expect(billOfMaterials(of)).toBe(billOfMaterials(of))
    const numberOf = (version: string) => JSON.parse(billOfMaterials({ ...of, version })).serialNumber
    expect(numberOf('0.2.0')).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(numberOf('0.2.1')).not.toBe(numberOf('0.2.0'))
  })

  it('is refused where the lock file does not pin a package', () => {
    expect(compiledIn('## d 1.0.0: MIT\n')).toEqual([{ name: 'd', version: '1.0.0', license: 'MIT' }])
    expect(() => billOfMaterials({ ...of, notices: '## d 1.0.0: MIT\n' })).toThrow('package-lock.json has no d 1.0.0')
  })
})

describe('the notes of a release', () => {
  const CHANGELOG =
    '# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n### Added\n\n- Two.\n\n## 0.2.0-rc.1\n\n- Almost.\n\n## 0.1.0\n\n- One.\n'

  it.each([
    ['0.2.0', '### Added\n\n- Two.\n'],
    ['0.2.0-rc.1', '- Almost.\n'],
    ['0.1.0', '- One.\n'],
  ])('are the section of %s alone', (of, notes) => {
    expect(notesOf(CHANGELOG, of)).toBe(notes)
  })

  it.each([
    ['no section', '0.3.0', 'CHANGELOG.md has no ## 0.3.0'],
    ['the begin of another', '0.2', 'CHANGELOG.md has no ## 0.2'],
    ['a section without an entry', 'Unreleased', 'CHANGELOG.md has no entry under ## Unreleased'],
    ['no name', '', 'CHANGELOG.md has no ## '],
  ])('are refused for %s', (_, of, message) => {
    expect(() => notesOf(CHANGELOG, of)).toThrow(message)
  })

  it('are refused where a version is there twice, or its notes are too long for the page', () => {
    expect(() => notesOf(`${CHANGELOG}\n## 0.1.0\n\n- Again.\n`, '0.1.0')).toThrow('more than one ## 0.1.0')
    expect(() => notesOf(`## 1.0.0\n\n- ${'x'.repeat(125_000)}\n`, '1.0.0')).toThrow('longer than')
  })

  it('end a release whose version CHANGELOG does not have, before anything is built', () => {
    const ended = spawnSync(process.execPath, ['scripts/release/check.mjs', 'v9.9.9'], { encoding: 'utf8' })
    expect(ended.status).toBe(1)
    expect(ended.stderr).toContain('error: the tag v9.9.9 is not v')
    const notes = spawnSync(process.execPath, ['scripts/release/notes.mjs', 'v9.9.9'], { encoding: 'utf8' })
    expect([notes.status, notes.stdout, notes.stderr]).toEqual([1, '', 'error: CHANGELOG.md has no ## 9.9.9\n'])
  })

  it('are there for the version of package.json', () => {
    expect(notesOf(read('CHANGELOG.md'), readPackage().version)).toContain('\n- ')
  })
})

describe('the files for package managers', () => {
  const { version, description, license } = readPackage()
  const owner = readOwner({ rehearsal: true })
  const hashes = new Map(artifactsOf(version).map(({ file }, index) => [file, `${index}`.repeat(64)]))
  const made = packageManifests({ owner, version, description, license, hashes })

  it('are for Homebrew, Scoop and winget', () => {
    expect(Object.keys(made).sort()).toEqual([
      'homebrew/hookline.rb',
      'scoop/hookline.json',
      'winget/Rehearsal.hookline.installer.yaml',
      'winget/Rehearsal.hookline.locale.en-US.yaml',
      'winget/Rehearsal.hookline.yaml',
    ])
  })

  it('refer to files of the release by their hashes, and to no other address', () => {
    const page = `${owner.repository}/releases/download/v${version}/`
    for (const [, text] of Object.entries(made)) {
      const files = [...text.matchAll(/https?:\/\/[^\s"#]+/g)]
        .map(([url]) => url)
        .filter((url) => url !== owner.homepage)
      for (const url of files) expect(url.startsWith(page) || url.includes('/v$version/')).toBe(true)
    }
    const rows = artifactsOf(version)
    const hashOf = (kind: string, system?: string) =>
      hashes.get(rows.find((row) => row.kind === kind && row.system === system)?.file ?? '')
    expect(made['homebrew/hookline.rb']).toContain(`sha256 "${hashOf('npm')}"`)
    expect(JSON.parse(made['scoop/hookline.json'] ?? '').architecture['64bit'].hash).toBe(hashOf('binary', 'win'))
    expect(made['winget/Rehearsal.hookline.installer.yaml']).toContain(`InstallerSha256: ${hashOf('binary', 'win')}`)
  })

  it('are not made without the hash of a file', () => {
    expect(() => packageManifests({ owner, version, description, license, hashes: new Map() })).toThrow('no hash of')
  })
})

describe('the unit of a package', () => {
  it('is that of `service install` with the home of whoever starts it', () => {
    const unit = packagedUnit('/usr/bin/hookline')
    expect(unit).toContain('\nConditionPathIsDirectory=%h/.hookline\n')
    expect(unit).toContain('\nExecStart=:"/usr/bin/hookline" "listen"\n')
    expect(unit).toContain('\nReadWritePaths=%h/.hookline\n')
    expect(unit).not.toContain('service install')
    expect(unit).not.toContain('/HOME')
  })
})

describe('the workflows', () => {
  it('are three', () => {
    expect(WORKFLOWS.map(([file]) => file).sort()).toEqual(['analysis.yml', 'ci.yml', 'release.yml'])
  })

  it.each(WORKFLOWS)('of %s pin every action by its commit, with the version beside it', (_file, text) => {
    const uses = text.match(/uses: .*/g) ?? []
    expect(uses.length).toBeGreaterThan(3)
    expect(uses.filter((line) => !/^uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  })

  it.each(WORKFLOWS)('of %s begin with no right to write, and keep no credentials in the checkout', (_file, text) => {
    expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)$/m)
    const checkouts = text.match(/uses: actions\/checkout/g) ?? []
    expect(text.match(/persist-credentials: false/g)).toHaveLength(checkouts.length)
    expect(text).not.toMatch(/secrets\.|pull_request_target|NODE_AUTH_TOKEN/)
  })

  it('build the site and open each of its pages', () => {
    const job = /^ {2}site:\n(?: {4}.*\n|\n)+/m.exec(read('.github/workflows/ci.yml'))?.[0] ?? ''
    expect(job.match(/run: npm .*/g)).toEqual(['run: npm ci', 'run: npm run site', 'run: npm run site:check'])
  })

  it('have one digest for one action', () => {
    const digests = WORKFLOWS.flatMap(([, text]) =>
      [...text.matchAll(/uses: ([\w.-]+\/[\w.-]+)[\w./-]*@([0-9a-f]{40})/g)].map(
        ([, action, digest]) => [action, digest] as const,
      ),
    )
    for (const [action, digest] of digests) {
      expect(digests.filter(([other]) => other === action).every(([, other]) => other === digest)).toBe(true)
    }
  })

  it('publish with the rights that each job needs, after the gate and a start on every system', () => {
    const text = read('.github/workflows/release.yml')
    const jobs = Object.fromEntries(
      text
        .slice(text.indexOf('\njobs:'))
        .split(/^ {2}(?=[a-z-]+:\n)/m)
        .slice(1)
        .map((job) => [job.slice(0, job.indexOf(':')), job]),
    )
    expect(Object.keys(jobs)).toEqual(['gate', 'build', 'smoke', 'publish', 'image', 'image-index'])
    const rights = Object.entries(jobs).map(([job, body]) => [job, body.match(/\w[\w-]*: write/g) ?? []])
    expect(Object.fromEntries(rights)).toEqual({
      gate: [],
      build: [],
      smoke: [],
      publish: ['contents: write', 'id-token: write', 'attestations: write'],
      image: ['packages: write'],
      'image-index': ['packages: write', 'id-token: write', 'attestations: write'],
    })
    for (const [job, needed] of [
      ['build', 'gate'],
      ['smoke', 'build'],
      ['publish', 'smoke'],
      ['image', 'publish'],
    ] as const)
      expect(jobs[job]).toContain(`needs: ${needed}\n`)
    expect(jobs.publish).toContain('npm publish --provenance')
    expect(jobs.publish).toContain('environment: release')
    // The page of a release has its notes and every file, and what is published is attested: files, manifests, image.
    expect(jobs.build).toContain('notes.mjs "$GITHUB_REF_NAME" > dist-release/notes.md')
    const page = /gh release create .*/.exec(jobs.publish ?? '')?.[0] ?? ''
    const shown = ['hookline*', 'SHA256SUMS', 'homebrew/*', 'scoop/*', 'winget/*'].map((file) => `dist-release/${file}`)
    expect([...shown, '--notes-file dist-release/notes.md'].filter((word) => !page.includes(word))).toEqual([])
    expect(jobs.publish?.match(/attest-build-provenance@/g)).toHaveLength(2)
    expect(jobs['image-index']).toMatch(/subject-digest: \$\{\{ steps\.index\.outputs\.digest \}\}/)
  })

  it('build and start every binary of the table', () => {
    const text = read('.github/workflows/release.yml')
    for (const { kind, file, system, arch } of artifactsOf('0.0.0').filter((row) => row.kind === 'binary')) {
      expect(text).toContain(`file: ${file} }`)
      expect([kind, text.includes(`${system}-${arch}`)]).toEqual(['binary', true])
    }
  })
})
