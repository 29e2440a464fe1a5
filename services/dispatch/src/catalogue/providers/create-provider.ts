import { type createProvider as contract, dispatchAuditRecorded, newId } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { fieldProblem, type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeProvider } from './describe-provider.ts'
import type { WithProviders } from './provider-directory.ts'
import { kindOf } from './provider-kind.ts'
import { lowestPriority, requireRoomForProvider } from './provider-store.ts'
import {
  refuseGeneratedFields,
  requireCredentials,
  requireDestination,
  type WithHostResolver,
} from './read-credentials.ts'
import { refuseUnusedSettings } from './refuse-unused-settings.ts'
import { writeProvider } from './write-provider.ts'

/** Adds a provider. Only this response shows the credentials that we generate. */
export const createProvider: Handler<Context & WithProviders & WithHostResolver, typeof contract> = idempotent({
  async prepare(context, { body }) {
    const kind = kindOf(context.carrierTable, body.kind)
    if (!kind) throw fieldProblem('validation_failed', 'kind', 'is not a known kind of provider')
    if (kind.channel !== body.channel)
      throw fieldProblem('validation_failed', 'channel', `must be ${kind.channel} for kind ${body.kind}`)
    refuseUnusedSettings(context, kind.channel, body)
    refuseGeneratedFields(kind, body.credentials)
    const made = kind.make?.(body.credentials) ?? {}
    const credentials = { ...body.credentials, ...made }
    requireCredentials(kind, credentials)
    await requireDestination(context, kind, credentials)
    return { id: newId('prov'), made, credentials, defaultRate: kind.defaultRatePerSecond ?? null }
  },
  async effect(context, request, run, { id, made, credentials, defaultRate }) {
    const { body, principal } = request
    const { channel, kind, name, application_id, rate_limit_per_second = defaultRate, weight } = body
    const tenant_id = principal.tenant_id
    await requireRoomForProvider(run, tenant_id, context.config.PROVIDERS_PER_TENANT)
    const priority = body.priority ?? (await lowestPriority(run, tenant_id, channel))
    const identity = { id, tenant_id, application_id, channel, kind }
    const state = { ...identity, name, priority, weight, rate_limit_per_second, credentials }
    const row = await writeProvider(run, context, { ...state, updated_by: principal.subject }, undefined)
    const created = describeProvider(context, row)
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      applicationId: application_id,
      action: 'provider.created',
      resourceId: id,
      before: null,
      after: created,
    })
    return new Reply(201, JSON.stringify({ ...created, ...made }))
  },
  after({ directory, log, wakeOutbox }, { body, principal, requestId }, { id }) {
    directory.providers.forget()
    wakeOutbox()
    log.info({ provider_id: id, kind: body.kind, operator: principal.subject, request_id: requestId }, 'provider added')
  },
})
