import { databasePasswordVariable, serviceNames } from '@notify/contracts'
import { readSecretFiles } from '@notify/service-kit/secret-files'
import { failureReason } from './failure-reason.ts'
import { provisionDatabase, provisionServices, type ServiceRole } from './provision.ts'

/**
 * Prepares a Postgres server for the services: `node packages/database/src/provision-main.ts`, once per installation and
 * after each change of a password. `<NAME>_FILE` may name a file with the value of each variable.
 * - `ADMIN_DATABASE_URL`: any database of the server, as a user that may create databases and roles
 * - `DATABASE_NAME`: the database that all services share, one schema each; default `notify`
 * - `<SERVICE>_DATABASE_PASSWORD`, for example `WEBHOOK_DELIVERY_DATABASE_PASSWORD`: one for each service to prepare
 * - `READER_DATABASE_PASSWORD`: optional, lets the role `notify_reader` log in, which reads all schemas
 */
try {
  const { adminUrl, databaseName, roles, readerPassword } = settings(variables())
  const admin = new URL(adminUrl)
  try {
    await provisionDatabase(adminUrl, databaseName)
    admin.pathname = `/${encodeURIComponent(databaseName)}`
    await provisionServices(admin.href, roles, { readerPassword })
  } catch (error) {
    throw new Error(explain(error, admin), { cause: error })
  }
  console.log(`provisioned database ${databaseName}: ${roles.map(({ service }) => service).join(', ')}`)
} catch (error) {
  console.error(process.env.DEBUG ? error : `provision: ${(error as Error).message}`)
  process.exitCode = 1
}

interface Settings {
  adminUrl: string
  databaseName: string
  roles: ServiceRole[]
  readerPassword: string | undefined
}

function variables(): Record<string, string> {
  const { values, faults } = readSecretFiles(process.env, [
    'ADMIN_DATABASE_URL',
    'READER_DATABASE_PASSWORD',
    ...serviceNames.map(databasePasswordVariable),
  ])
  if (faults.size > 0) throw new Error([...faults].map(([name, fault]) => `${name} ${fault}`).join('; '))
  return values
}

function settings(env: Record<string, string>): Settings {
  const adminUrl = env.ADMIN_DATABASE_URL
  if (!adminUrl)
    throw new Error('ADMIN_DATABASE_URL is missing: set it to postgres://<admin>:<password>@<host>:5432/postgres')
  if (!URL.canParse(adminUrl) || !/^postgres(ql)?:$/.test(new URL(adminUrl).protocol)) {
    throw new Error('ADMIN_DATABASE_URL is not a URL of the form postgres://<admin>:<password>@<host>:5432/postgres')
  }
  const roles = serviceNames.flatMap((service) => {
    const password = env[databasePasswordVariable(service)]
    return password ? [{ service, password }] : []
  })
  if (roles.length === 0) {
    throw new Error(`no passwords given: set at least one of ${serviceNames.map(databasePasswordVariable).join(', ')}`)
  }
  const readerPassword = env.READER_DATABASE_PASSWORD
  return { adminUrl, databaseName: env.DATABASE_NAME || 'notify', roles, readerPassword }
}

function explain(error: unknown, admin: URL): string {
  const cause = innermost(error)
  const { code, message } = cause
  const where = `${admin.hostname}:${admin.port || '5432'}`
  const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ECONNRESET']
  if (unreachable.includes(code ?? '') || /timeout expired/.test(message)) {
    return `Postgres at ${where} cannot be reached (${code ?? message}): check ADMIN_DATABASE_URL and that the server runs`
  }
  if (code === '28P01' || code === '28000') {
    return `Postgres at ${where} refuses the user ${decodeURIComponent(admin.username)}: check ADMIN_DATABASE_URL`
  }
  if (code === '42501') {
    return `the user ${decodeURIComponent(admin.username)} at ${where} may not do this (${message}): it needs CREATEDB and CREATEROLE, or be a superuser`
  }
  return `Postgres at ${where}: ${failureReason(cause)}`
}

function innermost(error: unknown): { code?: string; message: string } {
  const { errors, code, message } = error as { errors?: unknown[]; code?: string; message: string }
  if (errors?.[0]) return innermost(errors[0])
  return { message, ...(code ? { code } : {}) }
}
