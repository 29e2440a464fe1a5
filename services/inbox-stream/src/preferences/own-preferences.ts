import type { changeOwnPreferences as changeContract, getOwnPreferences as getContract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'

export const getOwnPreferences: Handler<Context, typeof getContract> = ({ preferences }, { principal, query }) =>
  preferences.read(principal, query.locale)

export const changeOwnPreferences: Handler<Context, typeof changeContract> = (
  { preferences },
  { principal, query, body, isAwaited, leftMs },
) => preferences.change(principal, { locale: query.locale, changes: body, wait: { isAwaited, leftMs } })
