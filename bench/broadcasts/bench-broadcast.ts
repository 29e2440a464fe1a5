import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { doMany } from '../json-client.ts'
import { addNeighbour, neighbourEnvironment, percentilesOfNeighbour } from '../lanes/neighbour.ts'
import { peakMiB, residentMiB } from '../resident-memory.ts'
import { createSmsClient } from '../sms-client.ts'
import { round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'

const members = Number(process.env.BENCH_MEMBERS ?? 1_000_000)
/** Of them; the others have no address. */
const users = Number(process.env.BENCH_USERS ?? Math.round(members / 50))
/** Members in a second. */
const rate = process.env.BENCH_RATE ?? '4000'
const samples = 120
const importSize = 1000
const priorities = ['transactional', 'bulk'] as const

/** A broadcast to a long list: the time of import and pages, the memory of the worker, and a neighbour's p99 before and beside it. */
export function benchBroadcast(): Promise<object> {
  const limits = { RATE_LIMIT_KEY_PER_SECOND: '1000000', RATE_LIMIT_TENANT_PER_SECOND: '1000000', BROADCAST_RATE: rate }
  return withStack({ env: { all: { LOG_LEVEL: 'warn', ...limits, ...neighbourEnvironment } } }, async (stack) => {
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    const neighbour = createSmsClient(stack, (await addNeighbour(stack, database)).apiKey)
    try {
      return await measure(stack, neighbour)
    } finally {
      neighbour.close()
      await database.end()
    }
  })
}

async function measure(stack: Stack, neighbour: ReturnType<typeof createSmsClient>): Promise<object> {
  const importMs = performance.now()
  const listId = await fill(stack)
  const import_s = Math.round((performance.now() - importMs) / 1000)
  console.log(`  ${members} members imported in ${import_s} s`)
  for (const priority of priorities) await percentilesOfNeighbour({ stack, neighbour }, priority, 50)
  const alone = await measureNeighbour(stack, neighbour)
  const worker = stack.pids['dispatch-worker']!
  const memory: Record<string, number> = { before_mib: residentMiB(worker) }
  const begunMs = performance.now()
  const path = `/api/v1/lists/${listId}/notifications`
  const { broadcast_id } = await call(stack, 'POST', path, { channel: 'sms', body: 'We have moved.' })
  await delay(2000)
  const beside = await measureNeighbour(stack, neighbour)
  const still = (await call(stack, 'GET', `/api/v1/broadcasts/${broadcast_id}`)).status
  for (let next = 0.25; ; await delay(500)) {
    const { status, accepted, refused } = await call(stack, 'GET', `/api/v1/broadcasts/${broadcast_id}`)
    if (status === 'running' && accepted + refused < next * members) continue
    memory[`at_${Math.round(next * 100)}_percent_mib`] = residentMiB(worker)
    next += 0.25
    if (status === 'running') continue
    const seconds = (performance.now() - begunMs) / 1000
    const limits = priorities.map((priority) => 1.5 * alone[priority].p99 + 20)
    return {
      ...{
        members,
        import_s,
        accepted,
        refused,
        seconds: Math.round(seconds),
        per_second: Math.round(members / seconds),
      },
      ...{ ...memory, peak_mib: peakMiB(worker) },
      ...{
        neighbour_alone_ms: alone,
        neighbour_beside_ms: beside,
        broadcast_was_still: still,
        limits_ms: limits.map(round),
      },
      within_limit: priorities.every((priority, at) => beside[priority].p99 <= limits[at]!),
    }
  }
}

/** Single messages of another tenant, in both lanes. */
async function measureNeighbour(stack: Stack, neighbour: ReturnType<typeof createSmsClient>) {
  const measured = { transactional: { p50: 0, p99: 0 }, bulk: { p50: 0, p99: 0 } }
  for (const priority of priorities) {
    const { p50, p99 } = await percentilesOfNeighbour({ stack, neighbour }, priority, samples)
    measured[priority] = { p50: round(p50), p99: round(p99) }
  }
  return measured
}

/** @returns the id of a list of so many members */
async function fill(stack: Stack): Promise<string> {
  const { list_id } = await call(stack, 'POST', '/api/v1/lists', { name: 'Everybody' })
  await doMany(users, 16, (n) =>
    call(stack, 'PUT', `/api/v1/users/user-${n}`, { phone: `+1557${String(n).padStart(6, '0')}1` }),
  )
  await doMany(Math.ceil(members / importSize), 3, (page) => {
    const size = Math.min(importSize, members - page * importSize)
    const part = Array.from({ length: size }, (_, n) => ({ user_id: `user-${page * importSize + n}` }))
    return call(stack, 'PUT', `/api/v1/lists/${list_id}/members`, { members: part })
  })
  return list_id
}

/** What the answers of this bench have. */
interface Answer {
  list_id: string
  broadcast_id: string
  status: string
  accepted: number
  refused: number
}

async function call(stack: Stack, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${stack.state.keys.all.api_key}`, 'content-type': 'application/json' }
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(stack.url('gateway') + path, request)
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json() as Promise<Answer>
}
