import { z } from 'zod'
import type { Route, user } from './route.ts'

/** A route that responds with server-sent events (WHATWG HTML, 9.2) until the caller disconnects. */
export interface StreamContract extends Route {
  readonly method: 'GET'
  readonly auth: typeof user
  readonly responseType: 'text/event-stream'
  /** Schema of the JSON `data` of each event, by event name. */
  readonly events: Readonly<Record<string, z.ZodType>>
}

type Declared = Omit<StreamContract, 'method' | 'auth' | 'responseType' | 'responses' | 'body'>

const form = { method: 'GET', auth: { caller: 'user' }, responseType: 'text/event-stream' } as const

/** Declares an event stream for end users. Types, authentication and OpenAPI derive from it. */
export function defineStream<const S extends Declared>(stream: S) {
  return { ...stream, ...form, responses: { 200: z.string() } }
}

export function isStream(route: Route): route is StreamContract {
  return 'events' in route
}

/** One event of a stream. */
export type StreamEvent<S extends StreamContract> = {
  [Name in keyof S['events'] & string]: { event: Name; data: z.input<S['events'][Name]>; id?: string | number }
}[keyof S['events'] & string]
