import { z } from 'zod'
import type { Route, user } from './route.ts'

/** A route that answers with server-sent events (WHATWG HTML, 9.2) for as long as the caller listens. */
export interface StreamContract extends Route {
  readonly method: 'GET'
  readonly auth: typeof user
  readonly responseType: 'text/event-stream'
  /** The events by name, each with the schema of its `data`, which travels as JSON. */
  readonly events: Readonly<Record<string, z.ZodType>>
}

type Declared = Omit<StreamContract, 'method' | 'auth' | 'responseType' | 'responses' | 'body'>

const form = { method: 'GET', auth: { caller: 'user' }, responseType: 'text/event-stream' } as const

/** Declares a stream of events for end users: types, authentication and OpenAPI are made from this object. */
export function defineStream<const S extends Declared>(stream: S) {
  return { ...stream, ...form, responses: { 200: z.string() } }
}

export function isStream(route: Route): route is StreamContract {
  return 'events' in route
}

/** One event of a stream, as it is sent. */
export type StreamEvent<S extends StreamContract> = {
  [Name in keyof S['events'] & string]: { event: Name; data: z.input<S['events'][Name]>; id?: string | number }
}[keyof S['events'] & string]
