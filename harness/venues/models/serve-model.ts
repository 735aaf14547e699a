// Models behind real HTTPS, each under its venue's own names: what dials a venue reaches it. Streams are refused, as where a network lets none through.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Faults } from '../faults.ts'
import { type Arrived, type Heard, type Said, type ServedOptions, ServedVenue } from '../served-venue.ts'
import { type ModelSpec, VenueModel } from './model.ts'

export class ServedModel extends ServedVenue<never> {
  /** The first. */
  readonly model: VenueModel
  readonly models: readonly VenueModel[]
  /** The wire's own; what the venue says in words of its own are faults of the model. */
  readonly faults = new Faults<never>({ changesOrders: /^$/, words: {} as Readonly<Record<never, never>> })
  protected readonly typicalAnswer = '{}'

  private constructor(specs: readonly [ModelSpec, ...ModelSpec[]], options: ServedOptions) {
    super(options)
    const [first, ...others] = specs
    this.model = new VenueModel(first)
    this.models = [this.model, ...others.map((spec) => new VenueModel(spec))]
  }

  static async start(
    specs: ModelSpec | readonly [ModelSpec, ...ModelSpec[]],
    options: ServedOptions = {},
  ): Promise<ServedModel> {
    const served = new ServedModel('venue' in specs ? [specs] : specs, options)
    await served.listen()
    return served
  }

  protected hear({ request }: Arrived): Pick<Heard, 'params' | 'headers'> {
    return { params: {}, headers: { host: request.headers.host } }
  }

  protected answer({ request, body }: Arrived): Said {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const host = request.headers.host ?? 'venue'
    const url = `https://${host}${request.url ?? '/'}`
    const model = this.models.find(({ spec }) => spec.hosts.includes(host)) ?? this.model
    const response = model.answer({
      url,
      method: request.method ?? 'GET',
      headers: Object.fromEntries(headers),
      body,
    })
    return { status: response.status, body: response.text, headers: response.headers }
  }

  protected upgrade(_request: IncomingMessage, socket: Duplex): void {
    socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
  }
}
