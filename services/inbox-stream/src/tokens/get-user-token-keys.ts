import type { getUserTokenKeys as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { publicKeys } from './user-token-keys.ts'

export const getUserTokenKeys: Handler<Context, typeof contract> = ({ config }) => {
  return publicKeys(config.USER_TOKEN_KEYS) as { keys: Record<string, unknown>[] }
}
