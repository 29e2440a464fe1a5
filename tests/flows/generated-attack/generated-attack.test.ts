import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ProblemBody } from '@notify/contracts'
import { type ApiRequest, eventually, type NodeProcess, TestEnv } from '@notify/dev-env'
import { untilAvailable } from '@notify/test-kit/api'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import fc from 'fast-check'
import { unlikeExample } from '../unlike-example.ts'
import { type Attack, attacksOn, type Operation, operationsOf } from './attacks.ts'

/** Another seed generates other requests; a failure prints the seed and the path to the request. */
const seed = Number(process.env.ATTACK_SEED ?? 20_261_122)
const requests = 5_500
const standIns: readonly NodeProcess[] = ['carrier-sandbox', 'identity-provider']

let env: TestEnv
let user: string
let operations: Operation[]

beforeAll(async () => {
  env = await TestEnv.start()
  user = await userToken(env, freshUser())
  const { body } = await env.api('GET', '/content/openapi.json', { key: null })
  operations = operationsOf(body).filter(({ path }) => !path.endsWith('/stream'))
})
afterAll(() => env?.stop())

/** Every kind of caller that the operation admits. */
function callersOf({ security }: Operation): ApiRequest[] {
  const known = { apiKey: { key: env.apiKey }, operator: { token: env.operatorToken }, user: { token: user } }
  const named = security.flatMap((one) => Object.keys(one)).map((name) => known[name as keyof typeof known])
  return named.length > 0 ? named : [{ key: null }]
}

function send({ method, path }: Operation, caller: ApiRequest, attack: Attack) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encode(attack.path[name]!) || '-')
  const query = attack.query.map(([name, value]) => `${name}=${encode(value)}`).join('&')
  // fetch sends no body with GET.
  const raw = method === 'GET' || !attack.body ? {} : { raw: attack.body }
  const target = query ? `${filled}?${query}` : filled
  // The HTTP server itself refuses longer targets.
  return env.api(method, target.slice(0, 6_000).replace(/%.?$/, ''), { ...caller, ...raw, headers: attack.headers })
}

/** Percent-encodes; a lone surrogate becomes its bytes, which are not valid UTF-8. */
const encode = (text: string) =>
  encodeURIComponent(text.toWellFormed() === text ? text : '').replace(/^\.+$/, '-') || '%ED%A0%80'

/** The fault of an answer, if any. */
function fault(status: number, contentType: string | null, text: string): string | undefined {
  if (status >= 500) return `${status} ${text}`
  if (status < 400) return undefined
  if (!contentType?.startsWith('application/problem+json')) return `${status} is no problem document: ${contentType}`
  const problem = ProblemBody.safeParse(JSON.parse(text))
  if (!problem.success || problem.data.status !== status) return `${status} ${text}`
  const { code, errors = [] } = problem.data
  const [unlike] = unlikeExample(JSON.parse(text))
  if (unlike) return unlike
  if (code === 'validation_failed' && !errors.some(({ path }) => typeof path === 'string')) return `no path: ${text}`
  return undefined
}

test(`no answer to ${requests} generated requests is a 5xx, and every refusal is a problem with a code`, async () => {
  const attacks = operations.flatMap((operation) => callersOf(operation).map((caller) => ({ operation, caller })))
  const numRuns = Math.ceil(requests / attacks.length)
  const statuses = new Map<number, number>()
  const found: string[] = []
  const queue = [...attacks]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { operation, caller } = next
      let waitMs = 15_000
      const property = fc.asyncProperty(attacksOn(operation), async (attack) => {
        // On a busy machine a service takes longer than its caller waits.
        const { status, headers, text } = await untilAvailable(() => send(operation, caller, attack), waitMs).catch(
          (error) => {
            // The search for a smaller attack then waits for none of them.
            waitMs = 0
            throw error
          },
        )
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const wrong = fault(status, headers.get('content-type'), text)
        if (wrong) throw new Error(wrong)
      })
      const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, { seed, numRuns })
      if (!failed) continue
      const shown = JSON.stringify(counterexample).slice(0, 500)
      found.push(
        `${operation.method} ${operation.path} seed ${seed} path ${counterexamplePath}: ${errorInstance} ${shown}`,
      )
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  expect(found).toEqual([])
  const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  expect(sent).toBeGreaterThanOrEqual(5_000)
  // Attacks that all fail at the first check would prove nothing.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 415, 422]))
  for (const process of Object.keys(env.urls) as NodeProcess[]) {
    if (standIns.includes(process)) continue
    // On a busy machine Postgres may take longer than the timeout of a probe.
    await eventually(async () => {
      const { status } = await env.call(process, 'GET', '/readyz')
      expect([process, status]).toEqual([process, 200])
    })
  }
})
