import type { findProviders as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { findReceiving } from './provider-store.ts'
import { changeOf, credentialsOf } from './write-provider.ts'

/** For callbacks, which may receive a callback before the event that announces its provider. */
export const findProviders: Handler<Pick<Context, 'db' | 'secrets'>, typeof contract> = async (context, { body }) => {
  const rows = await context.db.run(findReceiving(body))
  return { providers: rows.map((row) => changeOf(context, row, credentialsOf(context, row))) }
}
