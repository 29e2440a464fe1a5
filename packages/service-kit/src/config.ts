import { accessSync, constants } from 'node:fs'
import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import { cellConfig } from './cells.ts'
import { parseDurationMs } from './duration.ts'
import { parseNetworks } from './http/caller-address.ts'
import { readSecretFiles } from './secret-files.ts'

/** Invalid configuration. The message has one line per variable. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** A duration variable (`5s`, `2m`), parsed to milliseconds. */
export const duration = (fallback: string) => z.string().default(fallback).transform(toMs)

/** A comma-separated list of durations, parsed to milliseconds. */
export const durations = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, issues) => text.split(',').map((part) => toMs(part, issues)))

/** JSON text that must match the schema. */
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

/** Path of a readable file. */
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
  ...cellConfig,
  HOST: z.string().default('::').describe('Address to listen on; `::` is every address, IPv4 as well'),
  PORT: z.coerce.number().int().min(0).max(65535).describe('Port of the HTTP interface'),
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).describe('Port of GET /metrics'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info').describe('Minimum log level'),
  LOG_REQUEST_RATIO: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Share of successful requests that are logged; refused and failed ones always are'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe("Postgres URL with the service's own role"),
  MIGRATION_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('Direct Postgres URL for migrations, without a pooler in transaction mode. Default: DATABASE_URL'),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(8)
    .describe('Maximum Postgres connections per process, plus one for readiness probes'),
  DATABASE_PREPARED_STATEMENTS: z
    .stringbool()
    .default(true)
    .describe('Whether to use named prepared statements. Disable behind PgBouncer before 1.21 in transaction mode'),
  MIGRATE_ON_START: z.stringbool().default(true).describe('Whether to run migrations at start'),
  NATS_URL: z
    .string()
    .refine((text) => text.split(',').every(isNatsUrl), 'must be nats:// or tls:// addresses, comma separated')
    .describe('Comma-separated addresses of the NATS servers with JetStream; tls:// enables TLS'),
  NATS_USER: z.string().optional().describe('NATS user; requires NATS_PASSWORD'),
  NATS_PASSWORD: z.string().optional().describe('Password of NATS_USER'),
  NATS_TOKEN: z.string().optional().describe('NATS token, instead of a user'),
  NATS_CREDS: readableFile().optional().describe('NATS credentials file (JWT and NKey), instead of a user'),
  NATS_CA_FILE: readableFile()
    .optional()
    .describe("PEM file with the CA certificates of the NATS server, instead of the system's; requires TLS"),
  NATS_CERT_FILE: readableFile()
    .optional()
    .describe('PEM file with the client certificate for NATS; requires NATS_KEY_FILE'),
  NATS_KEY_FILE: readableFile().optional().describe('PEM file with the private key of NATS_CERT_FILE'),
  STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe("Replicas of the service's JetStream stream"),
  REPUBLISH_WINDOW: duration('5m').describe(
    'Age up to which events are republished after NATS restarts; at least twice its sync_interval',
  ),
  PRINCIPAL_JWKS: jsonText(
    z.custom<JSONWebKeySet>((value) => Array.isArray((value as JSONWebKeySet | null)?.keys), 'must be a JWKS'),
  ).describe(
    'JWKS that verifies signed principals; the `kid` of each key begins with the name of the service that signs with it',
  ),
  TRANSPORT_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'must be the base64 of 32 bytes')
    .optional()
    .describe('Base64 of 32 bytes; encrypts what `export-tenant` writes and `import-tenant` reads, made for one move'),
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
    .describe(
      "Comma-separated networks of trusted proxies, whose X-Forwarded-For contains the caller's address. Default: none",
    ),
  DRAIN_DELAY: duration('0s').describe(
    'Time between reporting unready and closing the listener, so that load balancers notice',
  ),
  SHUTDOWN_TIMEOUT: duration('25s').describe('Maximum duration of the drain, which begins after DRAIN_DELAY'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe('OTLP/HTTP endpoint; tracing is off without it'),
  TRACE_SAMPLE_RATIO: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe('Share of requests to trace when the caller has not decided'),
  DOCS_URL: z
    .union([z.url(), z.string().startsWith('/')])
    .default('/docs')
    .describe('Base URL of the `type` of problems; the gateway serves the pages at /docs'),
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
 * Validates the environment with the service's schema. Each variable can be in a file, which `<name>_FILE` names.
 * @throws ConfigError naming every missing or invalid variable with its description
 */
export function loadConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const { values, faults } = readSecretFiles(env, Object.keys(schema.shape))
  const result = schema.safeParse(values)
  if (result.success && faults.size === 0) return result.data
  const invalid = (result.error?.issues ?? []).map(({ path: [name], message }) => [String(name), message] as const)
  const told = [...faults, ...invalid.filter(([name]) => !faults.has(name))]
  const lines = told.map(([name, fault]) => {
    const meaning = (schema.shape[name] as z.ZodType | undefined)?.description
    const isSet = values[name] !== undefined || faults.has(name)
    return `${name}: ${isSet ? fault : 'is not set'}${meaning ? ` (${meaning})` : ''}`
  })
  throw new ConfigError([...new Set(lines)].join('\n'))
}
