import { accessSync, constants } from 'node:fs'
import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import { parseDurationMs } from './duration.ts'
import { parseNetworks } from './http/caller-address.ts'

/** A configuration that cannot be used: the message has one line for each variable. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** A duration variable (`5s`, `2m`), read into milliseconds. */
export const duration = (fallback: string) => z.string().default(fallback).transform(toMs)

/** A list of durations, comma separated, read into milliseconds. */
export const durations = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, issues) => text.split(',').map((part) => toMs(part, issues)))

/** JSON text of this schema. */
export const jsonText = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, issues) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        issues.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)

/** Path of a file that the process can read. */
export const readableFile = () =>
  z.string().superRefine((path, issues) => {
    try {
      accessSync(path, constants.R_OK)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      issues.addIssue({ code: 'custom', message: `the file ${path} cannot be read (${code})` })
    }
  })

/** Variables that every service reads. */
export const commonConfig = {
  HOST: z.string().default('0.0.0.0').describe('Address to listen on'),
  PORT: z.coerce.number().int().min(0).max(65535).describe('Port of the HTTP interface'),
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).describe('Port of GET /metrics'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('Least severe level logged'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe("Postgres, as this service's own role"),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('The same without a pooler in transaction mode in between, for migrations; by default DATABASE_URL'),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(8)
    .describe('Postgres connections of one process, besides one for readiness probes'),
  DATABASE_PREPARED_STATEMENTS: z
    .stringbool()
    .default(true)
    .describe('Whether statements are prepared by name; off behind PgBouncer before 1.21 in transaction mode'),
  MIGRATE_ON_START: z.stringbool().default(true).describe('Whether to bring the schema up to date at start'),
  NATS_URL: z
    .string()
    .refine((text) => text.split(',').every(isNatsUrl), 'must be nats:// or tls:// addresses, comma separated')
    .describe('NATS server with JetStream, tls:// for TLS; of a cluster several addresses, comma separated'),
  NATS_USER: z.string().optional().describe('User of the NATS server; with NATS_PASSWORD'),
  NATS_PASSWORD: z.string().optional().describe('Password of NATS_USER'),
  NATS_TOKEN: z.string().optional().describe('Token of the NATS server, instead of a user'),
  NATS_CREDS: readableFile().optional().describe('Credentials file (JWT and NKey) for NATS, instead of a user'),
  NATS_CA_FILE: readableFile()
    .optional()
    .describe("CA certificates, PEM, that verify the NATS server instead of the system's; makes TLS required"),
  NATS_CERT_FILE: readableFile().optional().describe('Client certificate for NATS, PEM; with NATS_KEY_FILE'),
  NATS_KEY_FILE: readableFile().optional().describe('Private key of NATS_CERT_FILE, PEM'),
  STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe("Replicas of the service's JetStream stream"),
  REPUBLISH_WINDOW: duration('5m').describe(
    'How far back events are published again after NATS was started anew; at least twice its sync_interval',
  ),
  PRINCIPAL_JWKS: jsonText(
    z.custom<JSONWebKeySet>((value) => Array.isArray((value as JSONWebKeySet | null)?.keys), 'must be a JWKS'),
  ).describe(
    'JWKS that verifies signed principals; the `kid` of each key begins with the name of the service that signs with it',
  ),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text, issues) => {
      try {
        return parseNetworks(text)
      } catch (error) {
        issues.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    })
    .describe("Networks of proxies whose X-Forwarded-For tells the caller's address, comma separated; default none"),
  DRAIN_DELAY: duration('0s').describe('Wait between unready and the end of accepting, for load balancers to notice'),
  SHUTDOWN_TIMEOUT: duration('25s').describe('Longest drain before the process gives up'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe('OTLP/HTTP endpoint; without it no span is made'),
  TRACE_SAMPLE_RATIO: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe('Share of requests traced when the caller did not decide'),
  DOCS_URL: z
    .url()
    .default('https://docs.notification-service.dev')
    .describe('Base of the `type` addresses of problems'),
}

function isNatsUrl(text: string): boolean {
  return /^(nats|tls):\/\/[^/]/.test(text) && URL.canParse(text)
}

function toMs(text: string, issues: { addIssue(issue: { code: 'custom'; message: string }): void }): number {
  try {
    return parseDurationMs(text)
  } catch (error) {
    issues.addIssue({ code: 'custom', message: (error as Error).message })
    return 0
  }
}

/**
 * Reads the environment through the service's one schema.
 * @throws ConfigError naming every bad or missing variable with its meaning
 */
export function loadConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = schema.safeParse(present)
  if (result.success) return result.data
  const lines = result.error.issues.map((issue) => {
    const name = String(issue.path[0])
    const meaning = (schema.shape[name] as z.ZodType | undefined)?.description
    const fault = present[name] === undefined ? 'is not set' : issue.message
    return `${name}: ${fault}${meaning ? ` (${meaning})` : ''}`
  })
  throw new ConfigError([...new Set(lines)].join('\n'))
}
