import type { ServerResponse } from 'node:http'
import type { Route, StreamContract } from '@notify/contracts'
import type { Door } from './door.ts'
import { createEventWriter, type EventWriter } from './event-writer.ts'
import type { HttpRequest } from './handler.ts'

/** A request for a stream that passed its contract. */
export interface StreamRequest<S extends StreamContract>
  extends Pick<
    HttpRequest<S>,
    'contract' | 'params' | 'query' | 'principal' | 'requestId' | 'url' | 'headers' | 'span'
  > {
  /** The `id` of the last event that the reader has. */
  lastEventId: string | undefined
}

/**
 * Sets a stream up: what it throws before the first write is answered as a problem. The stream stays open after it has
 * returned, until either side closes it.
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

/** A line of a service's `routes.ts` for a stream: its contract and the handler that sets it up. */
export function stream<Context, const S extends StreamContract>(
  contract: S,
  handler: StreamHandler<Context, S>,
): StreamEntry<Context> {
  return { contract, handleStream: handler as unknown as StreamHandler<Context, StreamContract> }
}

/**
 * Has the handler set the stream up, and opens it if the handler has written nothing.
 * @throws Problem or whatever the handler throws before the first write
 */
export async function openStream<Context>(
  door: Door,
  context: Context,
  { contract, handleStream }: StreamEntry<Context>,
  request: HttpRequest<Route>,
  response: ServerResponse,
): Promise<void> {
  door.streams.requireRoom()
  const { maxBufferedBytes } = door.streams.limits
  const open = () => door.streams.open(response, { 'x-request-id': request.requestId })
  const writer = createEventWriter<StreamContract>(response, open, maxBufferedBytes)
  const lastEventId = request.headers['last-event-id']
  try {
    const given = { ...request, lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined }
    await handleStream(context, given as unknown as StreamRequest<StreamContract>, writer)
    writer.open()
  } catch (error) {
    if (!response.headersSent) throw error
    door.log.error({ err: error, request_id: request.requestId, route: contract.name }, 'a stream failed')
    writer.end()
  }
}
