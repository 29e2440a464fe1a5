import { createServer } from 'node:http'
import type { Attributes, ObservableResult } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { AggregationTemporality, InstrumentType, MeterProvider } from '@opentelemetry/sdk-metrics'
import type { Health } from '../health.ts'
import { listenOn } from '../http/listen-on.ts'
import { createApp } from '../http/server.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { type KnownLabels, type Reading, Sums, seriesOf } from './sums.ts'

/** Creates the instruments of `metrics.ts`; names follow Prometheus, units last. */
export interface Metrics {
  /**
   * @param known the values of each label, or several such sets. Every series then exists at 0 from the start, because
   * `increase()` ignores the first sample of a series. `open`: the values are not known
   */
  counter(
    name: string,
    description: string,
    known?: KnownLabels | readonly KnownLabels[] | 'open',
  ): (attributes?: Attributes, value?: number) => void
  /** A counter that something else counts. */
  total(name: string, description: string, read: () => GaugeValue): void
  histogram(name: string, description: string, buckets: number[]): (value: number, attributes?: Attributes) => void
  gauge(name: string, description: string, read: () => GaugeValue | Promise<GaugeValue>): void
}

/** One number, or one of each series. */
type GaugeValue = number | readonly Reading[]

/** Exports of a gauge only what was observed for this scrape: cumulative ones would repeat the last value of each series for ever. */
class Exporter extends PrometheusExporter {
  #collecting: ReturnType<PrometheusExporter['collect']> | undefined

  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    if (type === InstrumentType.OBSERVABLE_GAUGE) return AggregationTemporality.DELTA
    return super.selectAggregationTemporality(type)
  }

  /** Scrapes at the same time get one answer: what was observed is taken by the first. */
  override collect(...options: Parameters<PrometheusExporter['collect']>): ReturnType<PrometheusExporter['collect']> {
    this.#collecting ??= super.collect(...options).finally(() => {
      this.#collecting = undefined
    })
    return this.#collecting
  }
}

/**
 * Starts the metrics server of a process: `GET /metrics` and health, on a port of its own. Started first, so that a process
 * that waits for its dependencies is alive but not ready.
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function startMetrics(
  { host, port }: { host: string; port: number },
  { lifecycle, health }: { lifecycle: Lifecycle; health: Health },
): Promise<Metrics> {
  const exporter = new Exporter({ preventServerStart: true, withoutScopeInfo: true, withoutTargetInfo: true })
  const app = createApp()
  health.mount(app)
  app.get('/metrics', (request, response) => exporter.getMetricsRequestHandler(request, response))
  const server = createServer(app)
  await listenOn(server, { host, port })
  const provider = new MeterProvider({ readers: [exporter] })
  lifecycle.onStop('metrics', async () => {
    server.close()
    server.closeAllConnections()
    await provider.shutdown()
  })
  const meter = provider.getMeter('notify')
  return {
    counter(name, description, known = {}) {
      const sums = new Sums(known === 'open' ? [] : [known].flat().flatMap(seriesOf))
      meter.createObservableCounter(name, { description }).addCallback((result) => {
        for (const { value, attributes } of sums.all()) result.observe(value, attributes)
      })
      return (attributes = {}, value = 1) => sums.add(attributes, value)
    },
    total(name, description, read) {
      meter.createObservableCounter(name, { description }).addCallback((result) => observeAll(result, read()))
    },
    histogram(name, description, buckets) {
      const histogram = meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: buckets } })
      return (value, attributes) => histogram.record(value, attributes)
    },
    gauge(name, description, read) {
      meter.createObservableGauge(name, { description }).addCallback(async (result) => {
        observeAll(result, await read())
      })
    },
  }
}

function observeAll(result: ObservableResult, reading: GaugeValue): void {
  if (typeof reading === 'number') result.observe(reading)
  else for (const { value, attributes } of reading) result.observe(value, attributes)
}
