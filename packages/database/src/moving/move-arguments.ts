import { parseArgs } from 'node:util'
import { isId } from '@notify/contracts'
import { UsageError } from '@notify/service-kit'

/** The arguments of both commands. */
interface Common {
  tenantId: `ten_${string}`
  /** Count, and change nothing. */
  dryRun: boolean
}

export interface ExportArguments extends Common {
  applications: string[]
  /** The cell that serves the tenant from now on: this is the last export. */
  to: string | undefined
}

export interface ImportArguments extends Common, Arrival {}

/** How far the tenant has arrived with an import. */
export interface Arrival {
  /** It is handed over: a cell that it was in before no longer leads to another one. */
  arriving: boolean
  /** It is served here from now on. */
  activate: boolean
}

const usages = {
  export: 'use: export-tenant --tenant <id> [--application <id>]... [--to <cell>] [--dry-run] > file',
  import: 'use: import-tenant --tenant <id> [--arriving | --activate] [--dry-run] < file',
}
const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

/** @throws UsageError */
export function readExportArguments(args: readonly string[]): ExportArguments {
  return told(usages.export, () => {
    const options = {
      tenant: text,
      application: { ...text, multiple: true, default: [] as string[] },
      to: text,
      'dry-run': flag,
    } as const
    const { tenant, application: applications, to, 'dry-run': dryRun } = parseArgs({ args: [...args], options }).values
    return { tenantId: idOf(tenant), applications, to, dryRun }
  })
}

/** @throws UsageError */
export function readImportArguments(args: readonly string[]): ImportArguments {
  return told(usages.import, () => {
    const options = { tenant: text, arriving: flag, activate: flag, 'dry-run': flag } as const
    const { tenant, arriving, activate, 'dry-run': dryRun } = parseArgs({ args: [...args], options }).values
    return { tenantId: idOf(tenant), arriving: arriving || activate, activate, dryRun }
  })
}

function told<T>(usage: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}

function idOf(tenant: string | undefined): `ten_${string}` {
  if (tenant !== undefined && isId('ten', tenant)) return tenant as `ten_${string}`
  throw new Error('--tenant takes the id of a tenant, which begins with ten_')
}

/** @throws UsageError when there is no key */
export function requireTransportKey(key: string | undefined): string {
  if (key !== undefined) return key
  throw new UsageError(
    'TRANSPORT_KEY is not set: give both commands the same base64 of 32 bytes, made for this move alone',
  )
}
