import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { createSmsClient, type SmsClient } from '../sms-client.ts'
import { round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import { addNeighbour, changeAccount, measureNeighbour, neighbourEnvironment, type Priority } from './neighbour.ts'

const backlog = Number(process.env.BENCH_MESSAGES ?? 6000)
const samples = 150
const body = 'Your code word is 1001.'
const callers = 32

interface World {
  stack: Stack
  database: pg.Pool
  campaign: SmsClient
  neighbour: SmsClient
}

/** The p99 from 202 to the carrier of one tenant's SMS, alone and beside another tenant's backlog, for each kind of backlog. */
export function benchFairness(): Promise<object> {
  return withStack({ env: { all: { LOG_LEVEL: 'warn', ...neighbourEnvironment } } }, async (stack) => {
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    const campaign = createSmsClient(stack)
    const neighbour = createSmsClient(stack, (await addNeighbour(stack, database)).apiKey)
    try {
      return await measureAll({ stack, database, campaign, neighbour })
    } finally {
      campaign.close()
      neighbour.close()
      await database.end()
    }
  })
}

async function measureAll(world: World): Promise<object> {
  const { stack } = world
  await measureNeighbour(world, 'transactional', samples)
  await measureNeighbour(world, 'bulk', samples)
  const alone = await measureNeighbour(world, 'transactional', samples)
  const aloneBulk = await measureNeighbour(world, 'bulk', samples)
  const bulk = await beside(world, 'bulk', '1')
  const hanging = await beside(world, 'transactional', '0005')
  await changeAccount(stack, { rate_limit_per_second: 1 })
  const limited = await beside(world, 'transactional', '1')
  await changeAccount(stack, { rate_limit_per_second: null })
  const { twilio_account_sid: account_sid } = stack.state
  await changeAccount(stack, {
    credentials: { account_sid, auth_token: 'wrong-token-0123456789', from: '+15005550006' },
  })
  const refused = await beside(world, 'transactional', '1')
  const [limit, limitBulk] = [1.5 * alone + 20, 1.5 * aloneBulk + 20]
  return {
    backlog,
    p99_alone_ms: round(alone),
    p99_beside_hanging_ms: round(hanging),
    p99_beside_limited_ms: round(limited),
    p99_beside_refused_ms: round(refused),
    limit_ms: round(limit),
    p99_bulk_alone_ms: round(aloneBulk),
    p99_bulk_beside_campaign_ms: round(bulk),
    limit_bulk_ms: round(limitBulk),
    within_limit: Math.max(hanging, limited, refused) <= limit && bulk <= limitBulk,
  }
}

/** Measures while a backlog of the other tenant waits, and removes it afterwards. */
async function beside(world: World, priority: Priority, ending: string): Promise<number> {
  const { campaign, database } = world
  await campaign.postMany(backlog, callers, (n) => ({
    to: `+1557${String(n).padStart(6, '0')}${ending}`,
    body,
    priority,
  }))
  const p99 = await measureNeighbour(world, priority, samples)
  const { rowCount } = await database.query(
    `update dispatch.notifications set status = 'cancelled' where status = 'queued'`,
  )
  console.log(
    `  beside ${rowCount} of ${backlog} messages that still waited (${priority}, numbers ending in ${ending})`,
  )
  await delay(2000)
  return p99
}
