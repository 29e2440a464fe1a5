import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from '@jest/globals'
import { addressVariable, type ServiceName, serviceNames } from '@notify/contracts'
import type { ServiceProcess, Stack } from '@notify/dev-env'
import { httpReader, type Recorder, startRecorder, statementReader } from '@notify/test-kit/recorder'

/** The work of the services for a request: their statements, and their calls of each other. */
export interface WorkRecord {
  env: Record<string, Record<string, string>>
  onStack(stack: Stack): void
  /**
   * Expects that calls cause the same work, ignoring the background work of the services.
   * @param make the calls of one trial, with new ids in each trial, because a cached id is not looked up
   */
  expectEqual(make: () => Promise<Call[]>): Promise<void>
  stop(): Promise<void>
}

interface Call {
  /** Removed from the work before the comparison. */
  ids: readonly string[]
  call(): Promise<unknown>
}

const mostTrials = 12
const quietMs = 30
const longestUnrestMs = 1000

/** The process of a service that answers its routes. */
const answering = (service: ServiceName): ServiceProcess => (service === 'dispatch' ? 'dispatch-api' : service)

/** Places a recorder before every service, and between every service that answers requests and its database. */
export async function recordWork(): Promise<WorkRecord> {
  let stack: Stack | undefined
  let journal: string[] = []
  const write = (service: ServiceName) => (request: string) => void journal.push(`${service}: ${request}`)
  const recorders: Recorder[] = []
  const databases = new Map<ServiceName, Recorder>()
  const env: WorkRecord['env'] = { all: {} }
  for (const service of serviceNames) {
    const process = answering(service)
    const calls = { target: () => stack!.url(process), reader: httpReader, write: write(service) }
    const statements = { target: () => stack!.databaseUrl(service), reader: statementReader, write: write(service) }
    const [http, postgres] = await Promise.all([startRecorder(calls), startRecorder(statements)])
    recorders.push(http, postgres)
    databases.set(service, postgres)
    env.all![addressVariable(service)] = http.via('http://service').replace(/\/$/, '')
    env[process] = {}
  }
  const during = async ({ ids, call }: Call) => {
    journal = []
    await call()
    const hide = (text: string, id: string) => text.replaceAll(encodeURIComponent(id), '<id>')
    return journal.map((text) => ids.reduce(hide, text)).sort()
  }
  return {
    env,
    onStack(made) {
      stack = made
      for (const [service, recorder] of databases) {
        env[answering(service)]!.DATABASE_URL = recorder.via(made.databaseUrl(service))
      }
    },
    async expectEqual(make) {
      let common: string[][] | undefined
      for (let trial = 1; trial <= mostTrials; trial++) {
        const calls = await make()
        const order = [...calls.keys()]
        // The first of a trial may fill caches that have expired: each call comes first in turn.
        if (trial % 2 === 0) order.reverse()
        const done: string[][] = []
        for (const at of order) {
          await untilQuiet(() => journal.length)
          done[at] = await during(calls[at]!)
        }
        // Work caused by the calls occurs in each trial; background work is missing from some trials.
        common = common?.map((work, at) => inBoth(work, done[at]!)) ?? done
        if (common.every((work) => isDeepStrictEqual(work, common![0]))) return
      }
      for (const work of common!) expect(work).toEqual(common![0])
    },
    async stop() {
      await Promise.all(recorders.map((recorder) => recorder.stop()))
    },
  }
}

/** The elements that both lists contain, each as often as in the list that has fewer. */
function inBoth(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return some.filter((one) => {
    const at = left.indexOf(one)
    if (at !== -1) left.splice(at, 1)
    return at !== -1
  })
}

/** Waits until the work of an earlier request is over, for a limited time, because background work never ends. */
async function untilQuiet(count: () => number): Promise<void> {
  const until = performance.now() + longestUnrestMs
  for (let before = -1; before !== count() && performance.now() < until; await delay(quietMs)) before = count()
}
