import {
  type Attributes,
  context,
  isSpanContextValid,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import type { Lifecycle } from '../lifecycle.ts'

export { SpanKind }

/** A step of a trace. Unrecorded spans only pass the caller's `traceparent` on. */
export interface Span {
  /** W3C trace context of this step, for the next hop; absent without a trace. */
  readonly traceparent: string | undefined
  readonly recording: boolean
  set(attributes: Attributes): void
  end(error?: unknown): void
}

export interface Tracer {
  start(name: string, options: SpanOptions): Span
}

export interface SpanOptions {
  /** `traceparent` of the parent; without it only an `edge` span may start a trace. */
  parent?: string | undefined
  /** Whether this is an external entry point, where the sampling decision is made. */
  edge?: boolean
  /** Whether an external caller sent the parent: its trace is continued, but its flag forces no sampling. */
  outside?: boolean
  kind?: SpanKind
  attributes?: Attributes
}

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Whether the text is a W3C `traceparent` of version 00. */
export function isTraceparent(text: string | undefined): text is string {
  return text !== undefined && pattern.test(text)
}

const unsampled = (traceparent: string) => `${traceparent.slice(0, -2)}00`

class PassingSpan implements Span {
  readonly recording = false
  readonly traceparent: string | undefined
  constructor(traceparent: string | undefined) {
    this.traceparent = traceparent
  }
  set(): void {}
  end(): void {}
}
const silent = new PassingSpan(undefined)

/** Passes the trace context on and records nothing; used without an OTLP endpoint. */
export const passingTracer: Tracer = {
  start: (_name, { parent }) => (parent === undefined ? silent : new PassingSpan(parent)),
}

/**
 * A tracer that exports to an OTLP endpoint. Sampling is decided first, and child spans are created only below a sampled
 * span, so an unsampled request costs one random number.
 */
export async function createTracer(
  options: { service: string; endpoint: string | undefined; sampleRatio: number },
  lifecycle: Lifecycle,
): Promise<Tracer> {
  if (!options.endpoint) return passingTracer
  const [{ TracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all(
    [
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ],
  )
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/$/, '')}/v1/traces` }),
      }),
    ],
  })
  lifecycle.onStop('tracing', () => provider.shutdown())
  const tracer = provider.getTracer('notify')
  return {
    start(name, { parent, edge = false, outside = false, kind = SpanKind.INTERNAL, attributes = {} }) {
      const match = parent === undefined ? null : pattern.exec(parent)
      const wanted = match ? (Number.parseInt(match[3]!, 16) & 1) === 1 : edge
      const decided = match !== null && !outside
      if (!wanted || !(decided || Math.random() < options.sampleRatio)) {
        return passingTracer.start(name, { parent: match && outside ? unsampled(match[0]) : parent })
      }
      const parentContext = match
        ? trace.setSpanContext(context.active(), {
            traceId: match[1]!,
            spanId: match[2]!,
            traceFlags: TraceFlags.SAMPLED,
            isRemote: true,
          })
        : context.active()
      return new RecordingSpan(tracer.startSpan(name, { kind, attributes }, parentContext))
    },
  }
}

class RecordingSpan implements Span {
  readonly #span: OtelSpan
  constructor(span: OtelSpan) {
    this.#span = span
  }
  get recording(): boolean {
    return this.#span.isRecording()
  }
  get traceparent(): string | undefined {
    const spanContext = this.#span.spanContext()
    if (!isSpanContextValid(spanContext)) return undefined
    return `00-${spanContext.traceId}-${spanContext.spanId}-01`
  }
  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }
  end(error?: unknown): void {
    if (error !== undefined) {
      const name = error instanceof Error ? error.name : 'error'
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: name })
    }
    this.#span.end()
  }
}
