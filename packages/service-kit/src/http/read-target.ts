import type { IncomingMessage } from 'node:http'
import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring'
import type { Route } from '@notify/contracts'
import type { Request } from 'express'
import { Problem } from '../problem.ts'
import { requireShape } from '../require-shape.ts'
import type { Incoming } from './exact-routes.ts'
import { nothing, requireStorable } from './read-body.ts'

/** Parses the query as Express's simple parser does. */
export function queryOf({ url = '' }: IncomingMessage): ParsedUrlQuery {
  const mark = url.indexOf('?')
  return mark === -1 ? {} : parseQuery(url.slice(mark + 1))
}

/** The problem of a request that no route matches. */
export function notFound({ method, path }: Pick<Request, 'method' | 'path'>): Problem {
  return new Problem('not_found', `There is no ${method} ${path}; see /content/openapi.json`)
}

/** The parameters of the path, validated. @throws Problem `not_found`, `validation_failed` */
export function paramsOf(contract: Route, request: IncomingMessage, params: Incoming['params']): unknown {
  // No identifier contains NUL, and Postgres refuses it.
  if (Object.values(params).some((value) => value.includes('\0'))) throw notFound(request as Request)
  return parse(contract.params, params)
}

/**
 * The query, validated. Unknown parameters are refused, except on routes for carriers or without authentication, whose
 * callers may add their own.
 * @throws Problem `validation_failed`
 */
export function queryOfContract({ query: schema, auth }: Route, query: Incoming['query']): unknown {
  if (!schema && (auth.caller === 'carrier' || auth.caller === 'anyone')) return undefined
  const given = { ...query() }
  const repeated = Object.keys(given).filter((name) => Array.isArray(given[name]))
  if (repeated.length > 0) {
    throw new Problem('validation_failed', `The query repeats ${repeated.join(', ')}`, {
      errors: repeated.map((path) => ({ path, message: 'must not be repeated' })),
    })
  }
  requireStorable(given)
  return requireShape(schema ?? nothing, given)
}

function parse(schema: Route['body'], value: unknown): unknown {
  return schema && requireShape(schema, value)
}
