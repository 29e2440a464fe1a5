import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Route, StreamContract } from '@notify/contracts'
import type { Door } from './door.ts'
import { EventWriter } from './event-writer.ts'
import type { HttpRequest } from './handler.ts'

/** A validated request for a stream. */
export interface StreamRequest<S extends StreamContract>
  extends Pick<
    HttpRequest<S>,
    'contract' | 'params' | 'query' | 'principal' | 'requestId' | 'url' | 'headers' | 'span'
  > {
  /** The `id` of the last event that the reader received. */
  lastEventId: string | undefined
}

/**
 * Sets up a stream. Errors before the first write become problems. The stream stays open after the handler returns,
 * until either side closes it.
 */
export type StreamHandler<Context, S extends StreamContract> = (
  context: Context,
  request: StreamRequest<S>,
  writer: EventWriter<S>,
) => Promise<void> | void

export interface StreamEntry<Context> {
  contract: StreamContract
  handleStream: StreamHandler<Context, StreamContract>
}

/** An entry of a service's `routes.ts` for a stream: its contract and handler. */
export function stream<Context, const S extends StreamContract>(
  contract: S,
  handler: StreamHandler<Context, S>,
): StreamEntry<Context> {
  return { contract, handleStream: handler as unknown as StreamHandler<Context, StreamContract> }
}

/**
 * Runs the handler, and opens the stream if it has written nothing.
 * @param headers of the response, beside those of every stream
 * @throws Problem, or whatever the handler throws before the first write
 */
export async function openStream<Context>(
  door: Door,
  context: Context,
  { contract, handleStream }: StreamEntry<Context>,
  request: HttpRequest<Route>,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const given = { ...request, lastEventId: lastEventIdOf(request) } as unknown as StreamRequest<StreamContract>
  const tenantId = given.principal.tenant_id
  door.streams.requireRoom(tenantId)
  const { maxBufferedBytes } = door.streams.limits
  const open = () => door.streams.open(response, headers, tenantId)
  const writer = new EventWriter<StreamContract>(response, open, maxBufferedBytes)
  try {
    await handleStream(context, given, writer)
    writer.open()
  } catch (error) {
    if (!response.headersSent) throw error
    door.log.error({ err: error, request_id: request.requestId, route: contract.name }, 'event stream failed')
    writer.end()
  }
}

function lastEventIdOf({ headers }: HttpRequest<Route>): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' ? id : undefined
}
