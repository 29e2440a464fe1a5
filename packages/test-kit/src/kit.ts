import type { ServiceName } from '@notify/contracts'
import { describeError, Health, type Kit, Lifecycle, passingTracer } from '@notify/service-kit'
import pino from 'pino'

/** A kit with readable log lines, counters and gauges. */
export interface TestKit extends Kit {
  lines: { level: number; msg: string; [field: string]: unknown }[]
  /** Sum of a counter over all attributes, or over the matching ones. */
  counted(name: string, attributes?: Record<string, unknown>): number
  /** Current value of a gauge. */
  gauged(name: string): number
  /** The callback of each gauge. */
  gauges: Map<string, Parameters<Kit['metrics']['gauge']>[2]>
  stop(): Promise<void>
}

const labelsOf = (series: object) => Object.keys(series).sort().join()

export function createTestKit(service: ServiceName): TestKit {
  const lines: TestKit['lines'] = []
  const log = pino(
    { level: 'debug', serializers: { err: describeError } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  const counts: { name: string; attributes: Record<string, unknown>; value: number }[] = []
  const gauges: TestKit['gauges'] = new Map()
  const lifecycle = new Lifecycle(log)
  return {
    service,
    log,
    lifecycle,
    health: new Health(),
    tracer: passingTracer,
    metrics: {
      counter(name, _description, known = {}) {
        const declared = known === 'open' ? [] : [known].flat().map(labelsOf)
        return (attributes = {}, value = 1) => {
          if (known !== 'open' && !declared.includes(labelsOf(attributes)))
            throw new Error(`${name} declares no series with the labels "${labelsOf(attributes)}"`)
          counts.push({ name, attributes, value })
        }
      },
      total: (name, _description, read) => void gauges.set(name, read),
      histogram: () => () => {},
      gauge: (name, _description, read) => void gauges.set(name, read),
    },
    lines,
    gauges,
    counted: (name, wanted = {}) =>
      counts
        .filter((count) => count.name === name)
        .filter(({ attributes }) => Object.entries(wanted).every(([key, value]) => attributes[key] === value))
        .reduce((sum, { value }) => sum + value, 0),
    gauged: (name) => Number(gauges.get(name)?.()),
    stop: () => lifecycle.stop(),
  }
}
