import {
  ErrorResponse,
  ErrorTimeout,
  OidcClient,
  type User,
  UserManager,
  type UserManagerSettings,
  WebStorageStateStore,
} from 'oidc-client-ts'
import { forgetDrafts, keepDraftsOf } from '../ui/draft.ts'
import { isOwnTab } from './own-tab.ts'
import type { Settings } from './settings.ts'

/** An operator's login at the OpenID Connect issuer: authorization code with PKCE. */
export interface Session {
  /** A valid access token, renewed silently when the current one is about to expire. */
  token(): Promise<string>
  /** Another token, after the API refused this one; the same one after a new login that cannot be renewed. */
  renew(): Promise<string>
  /** Notes that the API accepts the tokens of this login: a new login may help when it refuses one later. */
  accept(): void
  /** Deletes the tokens, and ends the session at the issuer if the issuer supports that. */
  signOut(): Promise<void>
}

/** The tokens cannot be renewed; the browser is on its way to the issuer. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError'
}

const callbackPath = '/console/callback'
const signedOutKey = 'signed-out'
/** A token with less time left is renewed first. */
const leastSeconds = 20
/** An issuer that takes longer to answer is taken to be unreachable, as the gateway is. */
const issuerTimeoutSeconds = 8

export const wasSignedOut = (): boolean => sessionStorage.getItem(signedOutKey) !== null

/**
 * Finds the current login, completes one that returns from the issuer, or leaves for the issuer.
 * @returns undefined when the page is being left
 */
export async function openSession(settings: Settings): Promise<Session | undefined> {
  const manager = new UserManager({
    authority: settings.issuer,
    client_id: settings.client_id,
    redirect_uri: `${location.origin}${callbackPath}`,
    scope: settings.scope,
    // Stored in this tab: another person at the same machine opens another tab.
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    automaticSilentRenew: false,
    requestTimeoutInSeconds: issuerTimeoutSeconds,
    ...apiParameters(settings),
  })
  const isCallback = location.pathname === callbackPath
  const isNew = isCallback && (await finish(manager))
  // The sign-out may have been interrupted.
  if (wasSignedOut()) await manager.removeUser()
  const user = await manager.getUser()
  const isUsable = user !== null && (!user.expired || user.refresh_token !== undefined)
  if (isUsable && (await isOwnTab())) return sessionOf(manager, user, settings, isNew)
  await leave(manager, isCallback && !isNew)
  return undefined
}

/** Names the API, for issuers that require it to issue tokens: Auth0 by `audience`, others by `resource` (RFC 8707). */
function apiParameters({ audience, resource }: Settings): Partial<UserManagerSettings> {
  return {
    ...(audience ? { extraQueryParams: { audience } } : {}),
    // Sent with the code too: the parameter of the login only limits the resources that may be granted.
    ...(resource ? { resource, extraTokenParams: { resource } } : {}),
  }
}

/** @returns false for a response without a pending login, such as a callback that is opened again from the history */
async function finish(manager: UserManager): Promise<boolean> {
  const user = await manager.signinRedirectCallback().catch(() => undefined)
  if (user) keepDraftsOf(user.profile.sub)
  const returnTo = (user?.state as { returnTo?: string } | undefined)?.returnTo
  sessionStorage.removeItem(signedOutKey)
  const target = returnTo?.startsWith('/console') ? returnTo : '/console/'
  history.replaceState(null, '', target)
  return user !== undefined
}

/** Leaves for the issuer, which returns to the same page. @param chooses whether operators choose an account again */
async function leave(manager: UserManager, chooses = false): Promise<void> {
  const { pathname, search } = location
  await manager.removeUser()
  // The callback refuses an id token with another nonce: it belongs to another login (OpenID Connect Core, 3.1.3.7).
  const login = { state: { returnTo: `${pathname}${search}` }, nonce: crypto.randomUUID() }
  // After a sign-out, and after a failed login, which the issuer would repeat without end.
  await manager.signinRedirect(chooses || wasSignedOut() ? { ...login, prompt: 'login' } : login)
}

/** @param isNew whether the login has just been made, so that another one would bring no better token */
function sessionOf(manager: UserManager, first: User, { resource }: Settings, isNew: boolean): Session {
  let user = first
  let isUntried = isNew
  let renewal: Promise<string> | undefined
  const renewOnce = async () => {
    // Without this argument the library waits without end, whatever the settings of the manager are.
    const limits = { silentRequestTimeoutInSeconds: issuerTimeoutSeconds }
    const renewed = user.refresh_token
      ? await manager.signinSilent(resource ? { ...limits, resource } : limits).catch(onRenewalFailure)
      : null
    if (wasSignedOut()) {
      // A renewal that was under way has stored its tokens.
      await manager.removeUser()
      if (renewed) await revoke(manager, renewed)
      throw new SignedOutError('You are signed out')
    }
    if (renewed) {
      user = renewed
      return renewed.access_token
    }
    // The issuer would return at once, and the API would refuse again, without end.
    if (isUntried && !user.expired) return user.access_token
    await leave(manager)
    throw new SignedOutError('The session has expired; signing in again')
  }
  const renew = () => {
    renewal ??= renewOnce().finally(() => {
      renewal = undefined
    })
    return renewal
  }
  return {
    // Without a lifetime (RFC 6749, 5.1, only recommends one) the token is used until it is refused.
    token: async () => ((user.expires_in ?? Infinity) > leastSeconds ? user.access_token : renew()),
    renew,
    accept() {
      isUntried = false
    },
    signOut: () => signOut(manager, user),
  }
}

async function signOut(manager: UserManager, user: User): Promise<void> {
  sessionStorage.setItem(signedOutKey, '1')
  forgetDrafts()
  // An unreachable issuer does not prevent signing out here, and a slow one does not delay it.
  await manager.removeUser()
  await endAtIssuer(manager, user).catch(() => undefined)
  location.assign('/console/')
}

/** Revokes the refresh token and leaves for the issuer's end of session, which returns to the console. */
async function endAtIssuer(manager: UserManager, user: User): Promise<void> {
  const { revocation_endpoint, end_session_endpoint } = await manager.metadataService.getMetadata()
  if (revocation_endpoint) await revoke(manager, user)
  if (!end_session_endpoint) return
  const { id_token } = user
  const post_logout_redirect_uri = `${location.origin}/console/`
  await manager.signoutRedirect({ post_logout_redirect_uri, ...(id_token ? { id_token_hint: id_token } : {}) })
}

/** Revokes the refresh token if the issuer can. Not by the manager, which then stores the user of the tab. */
async function revoke({ settings, metadataService }: UserManager, { refresh_token }: User): Promise<void> {
  if (!refresh_token) return
  const client = new OidcClient(settings, metadataService)
  await client.revokeToken(refresh_token, 'refresh_token').catch(() => undefined)
}

/** An unreachable issuer does not end the session: the next call tries again. */
function onRenewalFailure(error: unknown): null {
  const isAway = error instanceof TypeError || error instanceof ErrorTimeout || isFault(error)
  if (isAway) throw error
  return null
}

/** Whether the issuer (RFC 6749, 4.1.2.1), or a proxy before it, reported an internal error. */
function isFault(error: unknown): boolean {
  if (error instanceof ErrorResponse) return ['server_error', 'temporarily_unavailable'].includes(error.error ?? '')
  return error instanceof Error && /\(5\d\d\)/.test(error.message)
}
