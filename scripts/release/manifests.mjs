// The files for Homebrew, Scoop and winget, from the table of a release and the hashes of its files. They refer to the page of the release.
import { artifactsOf } from './table.mjs'

/** @typedef {import('./table.mjs').Owner} Owner */

/**
 * @param {{ owner: Owner, version: string, description: string, license: string, hashes: ReadonlyMap<string, string> }} release `hashes`: file → SHA-256 in hex
 * @returns {Readonly<Record<string, string>>} path → content
 */
export function packageManifests({ owner, version, description, license, hashes }) {
  const rows = artifactsOf(version)
  const [npm] = rows.filter(({ kind }) => kind === 'npm')
  const [windows] = rows.filter(({ kind, system }) => kind === 'binary' && system === 'win')
  /** @param {{ file: string } | undefined} row */
  const download = (row) => {
    const hash = hashes.get(row?.file ?? '')
    if (row === undefined || hash === undefined) throw new Error(`there is no hash of ${row?.file}`)
    return { url: `${owner.repository}/releases/download/v${version}/${row.file}`, hash }
  }
  const [tarball, binary] = [download(npm), download(windows)]
  const summary = description.replace(/\.$/, '')
  const formula = `class Hookline < Formula
  desc "${summary.split(': ')[0]}"
  homepage "${owner.homepage}"
  url "${tarball.url}"
  sha256 "${tarball.hash}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec/"lib/node_modules/hookline/dist/hookline.1"
    generate_completions_from_executable(bin/"hookline", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hookline --version")
  end
end
`
  const scoop = {
    version,
    description: summary,
    homepage: owner.homepage,
    license,
    architecture: { '64bit': { url: `${binary.url}#/hookline.exe`, hash: binary.hash } },
    bin: 'hookline.exe',
    checkver: { github: owner.repository },
    autoupdate: {
      architecture: {
        '64bit': { url: `${owner.repository}/releases/download/v$version/${windows?.file}#/hookline.exe` },
      },
    },
  }
  const identifier = `${owner.wingetPublisher}.hookline`
  const head = [`PackageIdentifier: ${identifier}`, `PackageVersion: ${version}`]
  const tail = (/** @type {string} */ type) => [`ManifestType: ${type}`, 'ManifestVersion: 1.6.0', '']
  const winget = {
    [`${identifier}.yaml`]: [...head, 'DefaultLocale: en-US', ...tail('version')],
    [`${identifier}.installer.yaml`]: [
      ...head,
      'InstallerType: portable',
      'Commands:',
      '- hookline',
      'Installers:',
      '- Architecture: x64',
      `  InstallerUrl: ${binary.url}`,
      `  InstallerSha256: ${binary.hash.toUpperCase()}`,
      ...tail('installer'),
    ],
    [`${identifier}.locale.en-US.yaml`]: [
      ...head,
      'PackageLocale: en-US',
      `Publisher: ${owner.wingetPublisher}`,
      'PackageName: hookline',
      `PackageUrl: ${owner.homepage}`,
      `License: ${license}`,
      `ShortDescription: ${JSON.stringify(summary)}`,
      ...tail('defaultLocale'),
    ],
  }
  return {
    'homebrew/hookline.rb': formula,
    'scoop/hookline.json': `${JSON.stringify(scoop, null, 2)}\n`,
    ...Object.fromEntries(Object.entries(winget).map(([file, lines]) => [`winget/${file}`, lines.join('\n')])),
  }
}
