// A model behind real HTTPS, under its venue's own names: what dials the venue reaches it. Streams are refused, as where a network lets none through.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Faults } from '../faults.ts'
import { type Arrived, type Heard, type Said, type ServedOptions, ServedVenue } from '../served-venue.ts'
import { type ModelSpec, VenueModel } from './model.ts'

export class ServedModel extends ServedVenue<never> {
  readonly model: VenueModel
  /** The wire's own; what the venue says in words of its own are faults of the model. */
  readonly faults = new Faults<never>({ changesOrders: /^$/, words: {} as Readonly<Record<never, never>> })
  protected readonly typicalAnswer = '{}'

  private constructor(spec: ModelSpec, options: ServedOptions) {
    super(options)
    this.model = new VenueModel(spec)
  }

  static async start(spec: ModelSpec, options: ServedOptions = {}): Promise<ServedModel> {
    const served = new ServedModel(spec, options)
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
    const url = `https://${request.headers.host ?? 'venue'}${request.url ?? '/'}`
    const response = this.model.answer({
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
