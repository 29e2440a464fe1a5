import { expect, test } from '@jest/globals'
import { isStream } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { parametersOf } from '@notify/contracts/openapi-parameters'
import type { ApiResponse } from '@notify/dev-env'
import type { z } from 'zod'
import { exampleBody } from '../route-samples/sample.ts'
import { callWhenAvailable } from '../route-samples/samples.ts'
import { env, samples } from './stack.ts'

/** Expects a success with the fields of its contract, and no others. */
function expectDeclared(responses: Readonly<Record<number, z.ZodType>>, { status, body, text }: ApiResponse): void {
  const schema = responses[status]
  expect([text, schema === undefined]).toEqual([text, false])
  if (status !== 204) expect(schema!.parse(body)).toEqual(body)
}

/** A position in a list, or a state that a change is based on: its example matches no data. */
const isOfState = (name: string) => name === 'cursor' || name.startsWith('expected_')

const routes = publicRoutes().filter((route) => !isStream(route))

test.each(routes.map((route) => [route.name, route] as const))(
  '%s answers its documented example as its contract declares',
  async (name, route) => {
    const sample = await samples[name]!(0)
    const documented = exampleBody(name, sample.fresh)
    const request = documented && !sample.call ? { ...sample, body: documented } : sample
    expectDeclared(route.responses, await callWhenAvailable(env, route, request))
    const query = parametersOf(route).filter((one) => one.in === 'query' && !isOfState(String(one.name)))
    // What was deleted is not there a second time.
    if (query.length === 0 || sample.call || route.method === 'DELETE') return
    const search = new URLSearchParams(Object.fromEntries(query.map(({ name, example }) => [name, String(example)])))
    expectDeclared(route.responses, await callWhenAvailable(env, route, sample, { search: `?${search}` }))
  },
)
