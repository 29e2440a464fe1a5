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
  door.streams.requireRoom()
  const { maxBufferedBytes } = door.streams.limits
  const open = () => door.streams.open(response, headers)
  const writer = new EventWriter<StreamContract>(response, open, maxBufferedBytes)
  const lastEventId = request.headers['last-event-id']
  try {
    const given = { ...request, lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined }
    await handleStream(context, given as unknown as StreamRequest<StreamContract>, writer)
    writer.open()
  } catch (error) {
    if (!response.headersSent) throw error
    door.log.error({ err: error, request_id: request.requestId, route: contract.name }, 'event stream failed')
    writer.end()
  }
}
