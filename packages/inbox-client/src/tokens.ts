import { InboxError } from './inbox-error.ts'

/** Limit of `getToken`. */
const timeoutMs = 30_000
/** A token this close to its end is replaced before it is used, in milliseconds. */
const marginMs = 10_000

/** The token of the user, asked for when there is none and when it is about to expire. */
export interface Tokens {
  get(): Promise<string>
  /** Forgets a token that was refused. */
  drop(token: string): void
  /** Names the user among all users of all applications and modes; undefined for a token that cannot be read. */
  user(): Promise<string | undefined>
}

/** @param onOtherUser called when `getToken` returns the token of another user, which is refused */
export function createTokens(getToken: () => Promise<string> | string, onOtherUser: () => void): Tokens {
  let current: string | undefined
  let loading: Promise<string> | undefined
  let known: string | undefined
  const load = async () => {
    const token = await inTime(getToken)
    const user = userOf(token)
    // An outage of the backend, not another user: it is asked again.
    if (typeof token !== 'string' || token === '' || (known !== undefined && user === undefined)) {
      throw new InboxError('getToken returned no token')
    }
    // Two users' notifications must never meet in one list.
    if (known !== undefined && user !== known) {
      onOtherUser()
      throw new InboxError('getToken returned the token of another user: create an inbox for each user', {
        status: 401,
      })
    }
    known = user
    current = token
    return token
  }
  const get = async () => {
    if (current !== undefined && !isEnding(current)) return current
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }
  return {
    get,
    drop(token) {
      if (current === token) current = undefined
    },
    async user() {
      await get()
      return known
    },
  }
}

/** One that never settles would block every call. */
async function inTime(getToken: () => Promise<string> | string): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new InboxError('getToken takes too long')), timeoutMs)
  })
  try {
    return await Promise.race([getToken(), late])
  } finally {
    clearTimeout(timer)
  }
}

interface Claims {
  tenant_id?: string
  application_id?: string
  mode?: string
  sub?: string
  exp?: number
}

function userOf(token: string): string | undefined {
  const { tenant_id, application_id, mode, sub } = claimsOf(token)
  return sub === undefined ? undefined : JSON.stringify([tenant_id, application_id, mode, sub])
}

function isEnding(token: string): boolean {
  const { exp } = claimsOf(token)
  return exp !== undefined && exp * 1000 - marginMs < Date.now()
}

/** Reads a JWT without verifying it, which is the server's part. */
function claimsOf(token: string): Claims {
  try {
    // Names are compared only, so their UTF-8 is left undecoded.
    return JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))) as Claims
  } catch {
    return {}
  }
}
