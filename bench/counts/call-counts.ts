import type { Stack } from '@notify/dev-env'
import type { Counts } from './counts.ts'

/** Services that also answer calls from outside, which do not count. */
const doors = ['gateway', 'callbacks']

/** HTTP requests between our services, by the process that answered. */
export async function readCallCounts(stack: Stack): Promise<Counts> {
  const inside = Object.entries(stack.metricsUrls).filter(([name]) => !doors.includes(name))
  const calls = inside.map(async ([name, url]) => {
    const text = await (await fetch(url)).text()
    const series = text.matchAll(/^http_server_request_duration_seconds_count\{.*\} (\d+)/gm)
    return [name, [...series].reduce((sum, [, count]) => sum + Number(count), 0)]
  })
  return { calls: Object.fromEntries(await Promise.all(calls)) }
}
