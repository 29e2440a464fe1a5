import { join } from 'node:path'
import type { Stack, StackOptions } from '@notify/dev-env'
import { withForked } from '../forked.ts'
import { type Load, type Measured, prepareLoad, runLoad } from '../load.ts'
import { round } from '../statistics.ts'
import { addTopicEvent, choosyUser, plainUser, topicFields } from '../topic-event.ts'
import { addTranslatedEvent, translatedFields } from '../translated-event.ts'
import { withStack } from '../with-stack.ts'

const connections = 64
const warmUpSeconds = 10
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const send = {
  channel: 'sms',
  event_key: 'order.shipped',
  recipient: { phone: '+14155550100' },
  data: { name: 'Ada', order: 'A-1001' },
}
const body = JSON.stringify(send)
const translated = JSON.stringify({ ...send, ...translatedFields })
const topical = JSON.stringify({ ...send, ...topicFields })
const topicalTo = (user_id: string) => JSON.stringify({ ...send, ...topicFields, recipient: { user_id } })

/**
 * Acceptance rate relative to a bare Express server: workers paused, all running, translated, with a topic, to users with rules.
 * The yardstick runs before and after each, because machine speed varies.
 */
export async function benchAccept(): Promise<object> {
  await prepareLoad(console.log)
  const paused = await compare('workers paused', { services: ['gateway', 'dispatch-api', 'identity-provider'] })
  const running = await compare('whole pipeline running', {})
  const languages = await compare('whole pipeline running, translated', {}, async (stack) => {
    await addTranslatedEvent(stack)
    return measureGateway(stack, translated)
  })
  const withTopic = (title: string, text: string) =>
    compare(`whole pipeline running, ${title}`, {}, async (stack) => {
      await addTopicEvent(stack)
      return measureGateway(stack, text)
    })
  const topics = await withTopic('with a topic', topical)
  const users = await withTopic('with a topic, to a user', topicalTo(plainUser))
  const rules = await withTopic('with a topic, to a user with fifty rules', topicalTo(choosyUser))
  return {
    ratio: round(paused.ratio),
    ratio_running: round(running.ratio),
    ratio_translated: round(languages.ratio),
    ratio_topic: round(topics.ratio),
    ratio_user: round(users.ratio),
    ratio_fifty_rules: round(rules.ratio),
    express_rps: Math.round(paused.expressRps),
    paused: rounded(paused.ours),
    running: rounded(running.ours),
    translated: rounded(languages.ours),
    topic: rounded(topics.ours),
    user: rounded(users.ours),
    fifty_rules: rounded(rules.ours),
  }
}

async function compare(
  title: string,
  options: Partial<StackOptions>,
  measure: (stack: Stack) => Promise<Measured> = (stack) => measureGateway(stack, body),
) {
  const before = await measureExpress()
  const ours = await withStack(options, measure)
  const after = await measureExpress()
  const expressRps = (before.requestsPerSecond + after.requestsPerSecond) / 2
  const ratio = ours.requestsPerSecond / expressRps
  console.log(`${title}:`)
  print('  bare Express, before', before)
  print('  gateway', ours)
  print('  bare Express, after', after)
  console.log(`  ratio ${ratio.toFixed(3)}`)
  if (ours.refused + ours.broken > 0) throw new Error(`${ours.refused} answers were not 2xx, ${ours.broken} never came`)
  return { ratio, ours, expressRps }
}

function measureExpress(): Promise<Measured> {
  return withForked(join(import.meta.dirname, 'express-yardstick.ts'), async (port) => {
    const load: Load = { url: `http://127.0.0.1:${port}/`, headers: json, body, seconds: 3, connections }
    await runLoad(load)
    return runLoad({ ...load, seconds: Math.min(seconds, 8) })
  })
}

const json = { 'content-type': 'application/json' }

async function measureGateway(stack: Stack, text: string): Promise<Measured> {
  const load: Load = {
    url: `${stack.url('gateway')}/api/v1/notifications`,
    headers: { ...json, authorization: `Bearer ${stack.state.keys.all.api_key}` },
    body: text,
    seconds: warmUpSeconds,
    connections,
  }
  await runLoad(load)
  return runLoad({ ...load, seconds })
}

function print(title: string, { requestsPerSecond, p50Ms, p99Ms }: Measured): void {
  const rate = Math.round(requestsPerSecond).toLocaleString('en')
  console.log(`${title.padEnd(26)} ${rate.padStart(8)} req/s   p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms`)
}

function rounded({ requestsPerSecond, p50Ms, p99Ms }: Measured) {
  return { rps: Math.round(requestsPerSecond), p50_ms: round(p50Ms), p99_ms: round(p99Ms) }
}
