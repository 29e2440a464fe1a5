import {
  changeOwnPreferences as changeOwnPreferencesRoute,
  createUserToken as createUserTokenRoute,
  deleteInboxNotification,
  getOwnPreferences as getOwnPreferencesRoute,
  getUnreadCount as getUnreadCountRoute,
  getUserTokenKeys as getUserTokenKeysRoute,
  listInbox as listInboxRoute,
  markInboxNotification,
  type Route,
  readWholeInbox,
  streamInbox,
  type UserPrincipal,
} from '@notify/contracts'
import { type Handler, type RouteEntry, route, type StreamEntry, stream } from '@notify/service-kit'
import type { Context } from './context.ts'
import { deleteNotification } from './inbox/delete-notification.ts'
import { getUnreadCount } from './inbox/get-unread-count.ts'
import { listInbox } from './inbox/list-inbox.ts'
import { markNotification } from './inbox/mark-notification.ts'
import { readInbox } from './inbox/read-inbox.ts'
import { changeOwnPreferences, getOwnPreferences } from './preferences/own-preferences.ts'
import { openInboxStream } from './streams/open-inbox-stream.ts'
import { createUserToken } from './tokens/create-user-token.ts'
import { getUserTokenKeys } from './tokens/get-user-token-keys.ts'

export const routes: readonly (RouteEntry<Context> | StreamEntry<Context>)[] = [
  route(createUserTokenRoute, createUserToken),
  route(getUserTokenKeysRoute, getUserTokenKeys),
  route(listInboxRoute, listInbox),
  route(getUnreadCountRoute, getUnreadCount),
  route(markInboxNotification, limited(markNotification)),
  route(readWholeInbox, limited(readInbox)),
  route(deleteInboxNotification, limited(deleteNotification)),
  route(getOwnPreferencesRoute, getOwnPreferences),
  route(changeOwnPreferencesRoute, limited(changeOwnPreferences)),
  stream(streamInbox, openInboxStream),
]

/** The handler of a route by which a user changes something, within the user's limit. */
function limited<R extends Route>(handler: Handler<Context, R>): Handler<Context, R> {
  return (context, request) => {
    context.countWrite(request.principal as UserPrincipal)
    return handler(context, request)
  }
}
