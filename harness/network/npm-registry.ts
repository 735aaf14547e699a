// A package registry on the loopback: as much of npm's protocol as publishing and installing need. verdaccio would do the same with 300 packages, one of which
// asks for a tag that not every registry has.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dist: { readonly tarball: string; readonly integrity: string }
}

/** What `npm publish` sends. */
interface Publication {
  readonly name: string
  readonly versions: Readonly<Record<string, Manifest>>
  readonly 'dist-tags': Readonly<Record<string, string>>
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

interface Packument {
  readonly name: string
  versions: Readonly<Record<string, Manifest>>
  'dist-tags': Readonly<Record<string, string>>
}

export interface NpmRegistry {
  /** `http://127.0.0.1:<port>/` */
  readonly url: string
  /** Method and path of each request, in order. */
  readonly requests: readonly string[]
  /** The tarball as it was sent. */
  tarballOf(name: string, version: string): Buffer | undefined
  close(): Promise<void>
}

/** @param token that a publisher has to send */
export async function startNpmRegistry(token: string): Promise<NpmRegistry> {
  const packuments = new Map<string, Packument>()
  const tarballs = new Map<string, Buffer>()
  const requests: string[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', url).pathname).slice(1)
    requests.push(`${request.method} /${path}`)
    if (request.method === 'PUT') {
      if (request.headers.authorization !== `Bearer ${token}`) return send(response, 401, { error: 'no token' })
      return publish((await json(request)) as Publication, response)
    }
    if (request.method !== 'GET') return send(response, 405, { error: 'not supported' })
    const [name = '', rest] = path.split(/(?<=.)\/(?=-\/|latest$|\d)/, 2)
    const packument = packuments.get(name)
    if (rest?.startsWith('-/') === true) {
      const tarball = tarballs.get(path)
      return tarball === undefined ? send(response, 404, {}) : void response.end(tarball)
    }
    if (packument === undefined) return send(response, 404, { error: 'not found' })
    if (rest === undefined) return send(response, 200, packument)
    const manifest = packument.versions[packument['dist-tags'][rest] ?? rest]
    return manifest === undefined ? send(response, 404, {}) : send(response, 200, manifest)
  }

  function publish({ name, versions, _attachments, ...sent }: Publication, response: ServerResponse): void {
    const before = packuments.get(name) ?? { name, versions: {}, 'dist-tags': {} }
    if (Object.keys(versions).some((version) => version in before.versions))
      return send(response, 409, { error: 'that version is published' })
    for (const [file, { data }] of Object.entries(_attachments))
      tarballs.set(`${name}/-/${file.slice(file.lastIndexOf('/') + 1)}`, Buffer.from(data, 'base64'))
    const added = Object.entries(versions).map(([version, manifest]) => {
      const file = `${name.slice(name.lastIndexOf('/') + 1)}-${version}.tgz`
      return [version, { ...manifest, dist: { ...manifest.dist, tarball: `${url}${name}/-/${file}` } }] as const
    })
    packuments.set(name, {
      name,
      versions: { ...before.versions, ...Object.fromEntries(added) },
      'dist-tags': { ...before['dist-tags'], ...sent['dist-tags'] },
    })
    send(response, 201, { ok: true })
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => send(response, 500, { error: error.message }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the registry has no port')
  const url = `http://127.0.0.1:${address.port}/`
  return {
    url,
    requests,
    tarballOf: (name, version) => tarballs.get(`${name}/-/${name}-${version}.tgz`),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
