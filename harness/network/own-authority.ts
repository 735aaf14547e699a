// Certificates made for the occasion: an authority, what it signs, and a stranger's that looks the same.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface OwnAuthority {
  /** Its certificate. */
  readonly ca: string
  /** Of the server, with key; `both` is one file of the two. */
  readonly server: { readonly cert: string; readonly key: string; readonly both: string }
  /** What clients show. */
  readonly client: Identity
  /** The same subject, signed by another authority of the same name. */
  readonly foreign: Identity
}

export interface Identity {
  readonly cert: string
  readonly key: string
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** @param directory where the files are made @throws what openssl says, where there is none too */
export function makeAuthority(directory: string, domain: string): OwnAuthority {
  const at = (name: string): string => join(directory, name)
  const authority = (name: string): void =>
    openssl(['req', '-x509', ...NEW_KEY, '-days', '2', '-subj', '/CN=authority of the tests', ...keyAndOut(at(name))])
  const signed = (name: string, by: string, subject: string, extension: string): Identity => {
    writeFileSync(at('extension'), extension)
    openssl(['req', ...NEW_KEY, '-subj', subject, '-keyout', `${at(name)}.key`, '-out', at('request')])
    const by509 = ['-CA', `${at(by)}.pem`, '-CAkey', `${at(by)}.key`, '-CAcreateserial', '-days', '2']
    openssl(['x509', '-req', '-in', at('request'), ...by509, '-extfile', at('extension'), '-out', `${at(name)}.pem`])
    return { cert: `${at(name)}.pem`, key: `${at(name)}.key` }
  }
  authority('ca')
  authority('other')
  const server = signed('server #1; 100% é', 'ca', `/CN=${domain}`, `subjectAltName=DNS:${domain}\n`)
  const both = at('both.pem')
  writeFileSync(both, [server.cert, server.key].map((path) => readFileSync(path, 'utf8')).join(''), { mode: 0o600 })
  const usage = 'extendedKeyUsage=clientAuth\n'
  return {
    ca: `${at('ca')}.pem`,
    server: { ...server, both },
    client: signed('client', 'ca', '/CN=sender of alerts', usage),
    foreign: signed('foreign', 'other', '/CN=sender of alerts', usage),
  }
}

function keyAndOut(path: string): string[] {
  return ['-keyout', `${path}.key`, '-out', `${path}.pem`]
}

function openssl(args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${error?.message ?? stderr.trim()}`)
}
