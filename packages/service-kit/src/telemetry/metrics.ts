import type { Attributes } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import type { Lifecycle } from '../lifecycle.ts'

/** Makes the instruments of `metrics.ts`; names as Prometheus writes them, units last. */
export interface Metrics {
  counter(name: string, description: string): (attributes?: Attributes, value?: number) => void
  histogram(name: string, description: string, buckets: number[]): (value: number, attributes?: Attributes) => void
  gauge(name: string, description: string, read: () => number | Promise<number> | readonly Reading[]): void
}

export interface Reading {
  value: number
  attributes: Attributes
}

/**
 * Starts the metrics of a process with `GET /metrics` on a port of its own.
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function startMetrics(
  { host, port }: { host: string; port: number },
  lifecycle: Lifecycle,
): Promise<Metrics> {
  const exporter = new PrometheusExporter({
    host,
    port,
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  })
  await exporter.startServer()
  const provider = new MeterProvider({ readers: [exporter] })
  lifecycle.onStop('metrics', () => provider.shutdown())
  const meter = provider.getMeter('notify')
  return {
    counter(name, description) {
      const counter = meter.createCounter(name, { description })
      return (attributes, value = 1) => counter.add(value, attributes)
    },
    histogram(name, description, buckets) {
      const histogram = meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: buckets } })
      return (value, attributes) => histogram.record(value, attributes)
    },
    gauge(name, description, read) {
      meter.createObservableGauge(name, { description }).addCallback(async (result) => {
        const reading = await read()
        if (typeof reading === 'number') result.observe(reading)
        else for (const { value, attributes } of reading) result.observe(value, attributes)
      })
    },
  }
}
